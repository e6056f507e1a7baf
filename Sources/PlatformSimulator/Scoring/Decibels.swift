internal import Glibc

/// Levels on the logarithmic scale.
enum Decibels {
    /// An amplitude, as a part of full scale, in dB.
    static func ofAmplitude(_ amplitude: Double) -> Double { 20 * log10(amplitude) }
}
