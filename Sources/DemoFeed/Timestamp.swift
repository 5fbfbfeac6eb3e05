/// The time in ISO 8601, UTC, as GitHub writes it: `2026-11-21T02:20:11Z`.
///
/// - Parameter seconds: since 1970, not negative.
/// Source: https://howardhinnant.github.io/date_algorithms.html#civil_from_days
func timestamp(_ seconds: Int) -> String {
    let days = seconds / 86_400 + 719_468
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let time = seconds % 86_400
    return "\(year)-\(two(month))-\(two(day))T\(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60))Z"
}

private func two(_ number: Int) -> String {
    number < 10 ? "0\(number)" : String(number)
}
