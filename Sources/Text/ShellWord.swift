/// Words in lines that are copied into a shell.
package enum ShellWord {
    /// The word, in quotes if the shell would change it.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            (97...122).contains(byte | 0x20) || (45...58).contains(byte) || byte == 95
        }
        return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
