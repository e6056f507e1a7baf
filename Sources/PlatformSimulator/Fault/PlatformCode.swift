/// A code of the platform with what goes with it (contract yugu, section 9.3).
struct PlatformCode: Hashable, Sendable {
    /// The number in the member `code`.
    let code: Int
    /// The HTTP status that it usually comes with.
    let status: Int
    /// Its name in the platform's table.
    let name: String
    /// What a person reads.
    let message: String
    /// Seconds in `Retry-After`; nil where the platform sends none.
    let retryAfter: Int?

    private init(_ code: Int, _ status: Int, _ name: String, _ message: String, retryAfter: Int? = nil) {
        self.code = code
        self.status = status
        self.name = name
        self.message = message
        self.retryAfter = retryAfter
    }

    /// The entry for a number, or nil.
    init?(_ code: Int) {
        guard let entry = Self.all.first(where: { $0.code == code }) else { return nil }
        self = entry
    }

    /// The entry that a text names by number or name, or nil.
    init?(_ text: String) {
        guard let entry = Self.all.first(where: { String($0.code) == text || $0.name == text }) else { return nil }
        self = entry
    }

    /// All 36.
    ///
    /// The contract gives `Retry-After` its place (sections 4.4 and 7.2) and one number, 2 for 40901; the others are
    /// the simulator's.
    static let all: [PlatformCode] = [
        PlatformCode(40_001, 400, "VALIDATION_ERROR", "请求参数校验失败"),
        PlatformCode(40_100, 401, "UNAUTHORIZED", "未认证"),
        PlatformCode(40_300, 403, "FORBIDDEN", "无权限"),
        PlatformCode(40_400, 404, "NOT_FOUND", "资源不存在"),
        PlatformCode(40_900, 409, "CONFLICT", "资源冲突"),
        PlatformCode(40_901, 409, "IDEMPOTENCY_IN_PROGRESS", "同一幂等键的请求仍在处理中", retryAfter: 2),
        PlatformCode(40_902, 409, "QUOTA_INSUFFICIENT", "套餐额度和账户余额均不足"),
        PlatformCode(40_903, 409, "IDEMPOTENCY_KEY_REUSED", "幂等键已用于另一个不同的请求"),
        PlatformCode(42_900, 429, "TOO_MANY_REQUESTS", "请求过多或评测排队超时", retryAfter: 1),
        PlatformCode(42_901, 429, "CONCURRENCY_LIMIT", "并发评测数超出套餐层级限制", retryAfter: 1),
        PlatformCode(42_902, 429, "TRIAL_REPORT_DAILY_LIMIT", "试用层 AI 报告达到每日上限", retryAfter: 3_600),
        PlatformCode(42_903, 429, "SANDBOX_DAILY_LIMIT", "沙箱密钥当日调用次数达到上限", retryAfter: 3_600),
        PlatformCode(50_000, 500, "INTERNAL_ERROR", "服务器内部错误"),
        PlatformCode(50_010, 500, "FEATURE_NOT_IMPLEMENTED", "功能未实现"),
        PlatformCode(50_200, 502, "UPSTREAM_SERVICE_ERROR", "上游评测服务暂不可用"),
        PlatformCode(2001, 401, "TOKEN_EXPIRED", "token 已过期"),
        PlatformCode(2002, 401, "TOKEN_INVALID", "token 无效"),
        PlatformCode(2003, 401, "SIGNATURE_VERIFICATION_FAILED", "签名验证失败"),
        PlatformCode(2004, 401, "SESSION_EXPIRED", "会话已过期"),
        PlatformCode(2005, 401, "TOKEN_BLACKLISTED", "token 已被列入黑名单"),
        PlatformCode(2006, 401, "API_KEY_INVALID", "API Key 无效"),
        PlatformCode(2007, 401, "API_KEY_EXPIRED", "API Key 已过期"),
        PlatformCode(2008, 401, "TOKEN_METADATA_NOT_FOUND", "token 元数据丢失"),
        PlatformCode(2009, 401, "TOKEN_REFRESH_FAILED", "token 刷新失败"),
        PlatformCode(2010, 401, "API_KEY_NOT_FOUND", "API Key 不存在"),
        PlatformCode(2011, 401, "API_KEY_DISABLED", "API Key 已禁用"),
        PlatformCode(2012, 400, "API_KEY_QUOTA_EXCEEDED", "API Key 配额已超限"),
        PlatformCode(3001, 429, "RATE_LIMIT_EXCEEDED_IP", "请求过于频繁", retryAfter: 1),
        PlatformCode(3002, 429, "RATE_LIMIT_EXCEEDED_USER", "请求过于频繁", retryAfter: 1),
        PlatformCode(3003, 429, "RATE_LIMIT_EXCEEDED_API_KEY", "请求过于频繁", retryAfter: 1),
        PlatformCode(1004, 400, "USER_DISABLED", "用户已禁用"),
        PlatformCode(1005, 400, "USER_LOCKED", "用户已锁定"),
        PlatformCode(1012, 400, "ACCOUNT_DISABLED", "账户已禁用"),
        PlatformCode(1013, 400, "ACCOUNT_FROZEN", "账户已冻结"),
        PlatformCode(1310, 400, "ACCOUNT_BALANCE_INSUFFICIENT", "账户余额不足"),
        PlatformCode(1311, 400, "ACCOUNT_LEDGER_CONFLICT", "账目并发冲突"),
    ]
}
