/// The names of environment variables for secrets.
enum VariableName {
    /// The variable for a secret of that name: `API_KEY` for `api-key`.
    static func of(_ name: String) -> String {
        let letters = name.uppercased().map { character -> Character in
            character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
        }
        let variable = String(letters)
        return variable.first?.isNumber == true ? "_" + variable : variable
    }
}
