private import Glibc
import SpeechAudio

/// Speech that is none: every unit of the text is a tone whose height follows from its characters.
struct SpeechTones: Sendable {
    private static let sampleRate = 16_000
    /// Longer texts are cut off, so that no file takes more than 2 MB.
    private static let maximumDuration = 60.0

    private struct Tone {
        var frequency: Double
        /// In samples, the pause behind it included.
        var length: Int
    }

    private let tones: [Tone]
    private let amplitude: Double

    /// Composes a text.
    init(_ order: SpeechOrder) {
        // Speed 50 is the usual pace; 0 takes twice as long and 100 half as long. Pitch moves an octave either way.
        let pace = exp2((Double(order.speed) - 50) / 50)
        let height = exp2((Double(order.pitch) - 50) / 50)
        let base = order.voice == "xiaofeng" || order.voice == "male" ? 110.0 : 200.0
        self.amplitude = 16_000 * Double(order.volume) / 100
        var tones: [Tone] = []
        var left = Int(Self.maximumDuration) * Self.sampleRate
        for unit in TextUnits(order.text).units {
            let seconds = unit.isChinese ? 0.24 : 0.16 + 0.05 * Double(min(12, unit.text.unicodeScalars.count))
            let length = Int(seconds / pace * Double(Self.sampleRate))
            guard length <= left else { break }
            left -= length
            let sum = unit.text.unicodeScalars.reduce(0) { $0 &+ Int($1.value) }
            tones.append(Tone(frequency: base * height * exp2(Double(sum % 12) / 12), length: length))
        }
        // Text without a unit, such as a single dash, is a tenth of a second of silence.
        self.tones = tones.isEmpty ? [Tone(frequency: 0, length: Self.sampleRate / 10)] : tones
    }

    /// The playing time in seconds.
    var duration: Double {
        Double(self.tones.reduce(0) { $0 + $1.length }) / Double(Self.sampleRate)
    }

    /// A WAV file of 16 kHz, one channel and 16 bits.
    func file() -> [UInt8] {
        var samples: [Int16] = []
        samples.reserveCapacity(self.tones.reduce(0) { $0 + $1.length })
        for tone in self.tones {
            let sounding = tone.length * 4 / 5
            for index in 0..<tone.length {
                guard index < sounding else {
                    samples.append(0)
                    continue
                }
                // Each tone swells and fades in 10 ms, so that nothing clicks.
                let edge = min(1, Double(min(index, sounding - index)) / 160)
                let angle = 2 * Double.pi * tone.frequency * Double(index) / Double(Self.sampleRate)
                samples.append(Int16(self.amplitude * edge * sin(angle)))
            }
        }
        return WAVEncoder.file(samples: samples, sampleRate: Self.sampleRate)
    }
}
