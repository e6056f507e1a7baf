/// The ten names under which the platform answers as its predecessor did (contract yugu, section 5).
enum CompatName: String, Sendable, CaseIterable {
    case word = "word.eval"
    case wordPro = "word.eval.pro"
    case sentence = "sent.eval"
    case sentencePro = "sent.eval.pro"
    case paragraph = "para.eval"
    case alpha = "alpha.eval"
    case chineseWord = "word.eval.cn"
    case chineseSentence = "sent.eval.cn"
    case chineseParagraph = "para.eval.cn"
    case pinyin

    /// Whether Chinese is read, so that pinyin may stand for the text.
    var isChinese: Bool {
        switch self {
        case .chineseWord, .chineseSentence, .chineseParagraph, .pinyin: true
        case .word, .wordPro, .sentence, .sentencePro, .paragraph, .alpha: false
        }
    }

    /// Whether a path is that of a name which could be one of these, and is not: one segment with a dot.
    static func isUnregistered(path: String) -> Bool {
        let name = path.utf8.dropFirst()
        return name.contains(UInt8(ascii: ".")) && !name.contains(UInt8(ascii: "/"))
            && CompatName(rawValue: String(Substring(name))) == nil
    }
}
