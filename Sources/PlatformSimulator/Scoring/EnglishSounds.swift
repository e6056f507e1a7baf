/// A rough pronunciation of words in Latin letters, by their spelling.
struct EnglishSounds: Sendable {
    /// A group of letters and the sounds that it stands for, in ARPABET.
    struct Group: Hashable, Sendable {
        /// The letters, in lower case.
        var spelling: String
        /// The sounds; a silent letter carries the sound before it.
        var sounds: [String]
        /// Whether the sounds are new, and not those of the group before.
        var isSounded = true
    }

    /// A syllable: its letters and which of the word's sounds it has.
    struct Syllable: Hashable, Sendable {
        /// The letters.
        var spelling: String
        /// Places in the list of sounds.
        var sounds: Range<Int>
    }

    /// The groups of letters in order.
    private(set) var groups: [Group] = []
    /// The sounds in order; never empty.
    private(set) var sounds: [String] = []
    /// The syllables in order; never empty.
    private(set) var syllables: [Syllable] = []

    /// Spells a word out.
    init(_ word: String) {
        let letters = word.lowercased().unicodeScalars.filter { $0.properties.isAlphabetic || $0.isDigit }
        var rest = String(String.UnicodeScalarView(letters)).utf8[...]
        while let first = rest.first {
            let match = Self.table[Int(first)].first { rest.starts(with: $0.spelling.utf8) }
            // A letter that the table does not know may take several bytes.
            let size = match?.spelling.utf8.count ?? 1 + rest.dropFirst().prefix { $0 & 0xC0 == 0x80 }.count
            let spelling = match?.spelling ?? String(decoding: rest.prefix(size), as: UTF8.self)
            let isLast = rest.count == size
            if spelling == "e", isLast, let last = self.sounds.last, self.sounds.contains(where: Self.isVowel) {
                self.groups.append(Group(spelling: spelling, sounds: [last], isSounded: false))
            } else {
                let sounds = spelling == "y" && isLast ? ["IY"] : match?.sounds ?? ["AH"]
                self.groups.append(Group(spelling: spelling, sounds: sounds))
                self.sounds.append(contentsOf: sounds)
            }
            rest = rest.dropFirst(size)
        }
        if self.sounds.isEmpty {
            self.groups = [Group(spelling: word, sounds: ["AH"])]
            self.sounds = ["AH"]
        }
        self.findSyllables()
    }

    /// Spells the name of a letter, as when the alphabet is read.
    init(letter: String) {
        let name = Self.letterNames[letter.uppercased()] ?? letter
        self.init(name)
    }

    /// Whether a sound is a vowel.
    static func isVowel(_ sound: String) -> Bool {
        sound.first.map { "AEIOU".contains($0) } ?? false
    }

    /// A syllable ends before a consonant that a vowel follows.
    private mutating func findSyllables() {
        var spelling = ""
        var start = 0
        var end = 0
        var hasVowel = false
        for (index, group) in self.groups.enumerated() {
            let next = index + 1 < self.groups.count ? self.groups[index + 1] : nil
            let startsNext =
                hasVowel && group.isSounded && !(group.sounds.first.map(Self.isVowel) ?? true)
                && (next.map { $0.isSounded && ($0.sounds.first.map(Self.isVowel) ?? false) } ?? false)
            if startsNext {
                self.syllables.append(Syllable(spelling: spelling, sounds: start..<end))
                spelling = ""
                start = end
                hasVowel = false
            }
            spelling += group.spelling
            end += group.isSounded ? group.sounds.count : 0
            hasVowel = hasVowel || group.sounds.contains(where: Self.isVowel)
        }
        self.syllables.append(Syllable(spelling: spelling, sounds: start..<end))
    }

    private static let letterNames: [String: String] = [
        "A": "ay", "B": "bee", "C": "see", "D": "dee", "E": "ee", "F": "eff", "G": "jee", "H": "aitch", "I": "igh",
        "J": "jay", "K": "kay", "L": "ell", "M": "em", "N": "en", "O": "oa", "P": "pee", "Q": "kew", "R": "ar",
        "S": "ess", "T": "tee", "U": "yoo", "V": "vee", "W": "dubelyoo", "X": "eks", "Y": "wigh", "Z": "zee",
    ]

    /// Spellings with their sounds by the first byte, longer ones first.
    private static let table: [[Group]] = {
        let source = """
            tion=SH,AH,N ough=AO igh=AY tch=CH eigh=EY th=TH sh=SH ch=CH ph=F wh=W ck=K ng=NG qu=K,W kn=N wr=R gh=G
            ee=IY ea=IY oo=UW ou=AW ow=OW oa=OW ai=EY ay=EY ei=EY oi=OY oy=OY au=AO aw=AO ew=UW ie=IY ue=UW
            er=ER ir=ER ur=ER or=AO,R ar=AA,R bb=B cc=K dd=D ff=F gg=G ll=L mm=M nn=N pp=P rr=R ss=S tt=T zz=Z
            a=AE b=B c=K d=D e=EH f=F g=G h=HH i=IH j=JH k=K l=L m=M n=N o=AA p=P q=K r=R s=S t=T u=AH v=V w=W x=K,S
            y=Y z=Z
            """
        var table = [[Group]](repeating: [], count: 256)
        for entry in source.split(whereSeparator: \.isWhitespace) {
            let halves = entry.split(separator: "=")
            let group = Group(spelling: String(halves[0]), sounds: halves[1].split(separator: ",").map(String.init))
            table[Int(group.spelling.utf8.first ?? 0)].append(group)
        }
        return table.map { groups in groups.sorted { $0.spelling.utf8.count > $1.spelling.utf8.count } }
    }()
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
