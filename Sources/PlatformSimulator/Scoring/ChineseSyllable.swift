/// How a Chinese character is read: an initial, a final and a tone.
struct ChineseSyllable: Hashable, Sendable {
    /// The consonant before the final; empty for none.
    var initial: String
    /// The rest of the syllable, with `v` for the rounded i.
    var final: String
    /// 1 to 4, and 5 for none.
    var tone: Int

    /// The syllable without tone.
    var pinyin: String { self.initial + self.final }

    /// Takes a syllable with its tone as a digit, such as `tian1`; no digit is the neutral tone.
    init(_ text: String) {
        var letters = text
        self.tone = letters.last?.wholeNumberValue.map { max(1, min(5, $0 == 0 ? 5 : $0)) } ?? 5
        letters.removeAll { $0.isNumber }
        let initials = ["zh", "ch", "sh"] + "bpmfdtnlgkhjqxrzcsyw".map(String.init)
        self.initial = initials.first { letters.hasPrefix($0) } ?? ""
        self.final = String(letters.dropFirst(self.initial.count))
    }

    /// The syllable with its tone as a mark over a vowel.
    var symbolPinyin: String {
        let marks: [Character: [Character]] = [
            "a": ["\u{101}", "\u{E1}", "\u{1CE}", "\u{E0}"], "e": ["\u{113}", "\u{E9}", "\u{11B}", "\u{E8}"],
            "i": ["\u{12B}", "\u{ED}", "\u{1D0}", "\u{EC}"], "o": ["\u{14D}", "\u{F3}", "\u{1D2}", "\u{F2}"],
            "u": ["\u{16B}", "\u{FA}", "\u{1D4}", "\u{F9}"], "v": ["\u{1D6}", "\u{1D8}", "\u{1DA}", "\u{1DC}"],
        ]
        var letters = Array(self.pinyin)
        // The mark goes to a or e, to the o of ou, else to the last vowel.
        let place =
            letters.firstIndex { $0 == "a" || $0 == "e" }
            ?? letters.indices.first { letters[$0] == "o" && $0 + 1 < letters.count && letters[$0 + 1] == "u" }
            ?? letters.lastIndex { marks[$0] != nil }
        if let place, self.tone < 5, let mark = marks[letters[place]]?[self.tone - 1] {
            letters[place] = mark
        }
        return String(letters.map { $0 == "v" ? "\u{FC}" : $0 })
    }

    /// The reading of a character: from the table of frequent ones, else one that follows from its code point.
    init(character: String) {
        if let known = Self.frequent[character] {
            self = known
            return
        }
        let code = Int(character.unicodeScalars.first?.value ?? 0)
        let syllables = Self.syllables
        self = syllables[code % syllables.count]
    }

    private static let syllables: [ChineseSyllable] = Set(Self.frequent.values).sorted {
        ($0.pinyin, $0.tone) < ($1.pinyin, $1.tone)
    }

    private static let frequent: [String: ChineseSyllable] = {
        var table: [String: ChineseSyllable] = [:]
        for entry in Self.source.split(whereSeparator: \.isWhitespace) {
            let syllable = ChineseSyllable(String(entry.prefix { $0.isASCII }))
            for character in entry.drop(while: { $0.isASCII }) {
                table[String(character)] = syllable
            }
        }
        return table
    }()

    private static let source = """
        de5的得地 yi1一衣医 shi4是事市试世室式 bu4不步部布 le5了 zai4在再 ren2人 you3有友 wo3我 ta1他她它 zhe4这 ge4个各 men5们
        zhong1中钟 lai2来 shang4上 da4大 wei4为位未 he2和河何 guo2国 di4第弟 dao4到道 shuo1说 shi2时十实石食 yao4要药 jiu4就旧
        chu1出初 hui4会 ke3可 ye3也野 ni3你 dui4对队 sheng1生声 neng2能 er2而儿 zi3子 na4那 yu2于鱼 zhe5着 xia4下夏 zi4自字
        zhi1之知只支 nian2年 guo4过 fa1发 hou4后候 zuo4作做坐 li3里理礼 yong4用 dao3导岛 xing2行形 suo3所 ran2然 jia1家加 zhong3种
        shi3使始 cheng2成城 fang1方 duo1多 jing1经京睛 me5么 qu4去 fa3法 xue2学 ru2如 dou1都 tong2同童 xian4现线 dang1当 mei2没
        dong4动 mian4面 qi3起 kan4看 ding4定 tian1天 fen1分 hai2还孩 jin4进近 hao3好 xiao3小 bu4部 qi2其期旗 xie1些 zhu3主 yang4样
        xin1心新 ma1妈 ben3本 qian2前钱 kai1开 dan4但 yin1因音 zhi3只 cong2从 xiang3想 ri4日 jun1军 zhe3者 yi4意义艺 wu2无 li4力立历
        yu3与语雨 chang2长常 ba3把 ji1机鸡基 min2民 san1三 er4二 si4四 wu3五午 liu4六 qi1七 ba1八 jiu3九久 bai2白 bai3百 qian1千
        wan4万 hong2红 huang2黄皇 lan2蓝 lv4绿 hei1黑 dong1东冬 xi1西息 nan2南男 bei3北 chun1春 qiu1秋 feng1风 yun2云 xue3雪
        yue4月乐 xing1星 shan1山 shui3水 huo3火 mu4木目 tu3土 jin1今金 ming2明名 tian2田 hua1花 cao3草 shu4树 niao3鸟 gou3狗 mao1猫
        ma3马 niu2牛 yang2羊阳 shou3手 zu2足 kou3口 er3耳 yan3眼 tou2头 shen1身 ba4爸 ge1哥歌 jie3姐 mei4妹 di2敌 lao3老 shi1师
        xiao4笑校 ku1哭 chi1吃 he1喝 shui4睡 zou3走 pao3跑 fei1飞 du2读 xie3写 ting1听 chang4唱 tiao4跳 wan2玩完 hua4画话 cha2茶
        fan4饭 cai4菜 rou4肉 guo3果 ping2苹平 xiang1香 tang2糖 che1车 lu4路 men2门 chuang1窗 fang2房 chuang2床 deng1灯 dian4电店
        jian4见件 guan1关 wen4问 da2答 qing3请 xie4谢 dui4对 bu2不 jian3简 nan2难 kuai4快 man4慢 gao1高 di1低 pang4胖 shou4瘦
        mei3美每 chou3丑 leng3冷 re4热 nuan3暖 qi4气 hen3很 tai4太 zui4最 zheng4正 fan3反 zuo3左 you4右又 yuan3远 yuan2园圆元
        gong1公工 yi3以已 xiang4向象 huan1欢 ying2迎 ai4爱 xi3喜 pa4怕 kuai4快 zhu4住祝 bei4背 jia4价 mai3买 mai4卖 song4送 gei3给
        na2拿 fang4放 zhao3找 bang1帮 zhu4助 jiao1教 lian4练 xi2习 zhun3准 fa1发 shi2识 jie2节 ri4日 sheng4胜 huo2活 san4散 chong2重
        qing4庆 hai3海 jiang1江 hu2湖 sen1森 lin2林 kong1空 dou4豆 mi3米 mian2棉 chuan1穿 dai4带 kuai4快 ju4句 pian1篇 ci2词
        """
}
