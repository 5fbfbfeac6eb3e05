/// The scripts by which shells complete words: they run `feedsync __complete`, the only place that knows the
/// completions.
enum CompletionScripts {
    /// The script for a shell; nil for one that there is none for.
    static func script(for shell: String) -> String? {
        switch shell {
        case "bash": bash
        case "zsh": zsh
        case "fish": fish
        default: nil
        }
    }

    /// readline replaces only the text after the last of its own word breaks, such as `=`: that is `$2`.
    private static let bash = #"""
        # Completions of feedsync for bash: source this file, or install it as
        # /usr/share/bash-completion/completions/feedsync.
        _feedsync() {
            local line=${COMP_LINE:0:COMP_POINT} words last prefix candidate
            read -a words <<<"$line"
            [[ $line != *[[:space:]] ]] || words+=("")
            words=("${words[@]/#\~\//"$HOME"/}")
            last=${words[${#words[@]} - 1]}
            prefix=${last%"$2"}
            COMPREPLY=()
            while read -r candidate _; do
                if [[ $candidate == :path ]]; then
                    compopt -o default
                    return
                fi
                COMPREPLY+=("${candidate#"$prefix"}")
            done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
            if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
        }
        complete -F _feedsync feedsync
        """#

    private static let zsh = #"""
        #compdef feedsync
        # Completions of feedsync for zsh: install this file as _feedsync in a folder of $fpath, or source it after compinit.
        _feedsync() {
            local candidate meaning
            local -a described parameters
            while read -r candidate meaning; do
                case $candidate in
                    :path)
                        compset -P '*='
                        _files
                        return
                        ;;
                    *=) parameters+=("$candidate") ;;
                    *) described+=("$candidate${meaning:+:$meaning}") ;;
                esac
            done < <("${(Q)~words[1]}" __complete "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)
            (( $#parameters )) && compadd -S '' -a parameters
            (( $#described )) && _describe feedsync described
        }
        if [[ ${funcstack[1]} == _feedsync ]]; then
            _feedsync "$@"
        else
            compdef _feedsync feedsync
        fi
        """#

    private static let fish = #"""
        # Completions of feedsync for fish: source this file, or install it as
        # ~/.config/fish/completions/feedsync.fish.
        function __feedsync_complete
            set -l words (commandline -opc) (commandline -ct)
            set -l lines ($words[1] __complete $words[2..-1] 2>/dev/null)
            if test "$lines[1]" = :path
                set -l token (commandline -ct)
                set -l option (string match -r '^--[^=]*=' -- $token)
                for path in (__fish_complete_path (string replace -- "$option" '' $token))
                    echo "$option$path"
                end
            else
                # fish separates a word from what it means by a tab.
                string replace ' ' \t -- $lines
            end
        end
        complete -c feedsync -f -a '(__feedsync_complete)'
        """#
}
