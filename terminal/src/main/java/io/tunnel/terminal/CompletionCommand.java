package io.tunnel.terminal;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints what makes a shell complete commands, options and their values. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    description = "Print a script that makes your shell complete commands, options and values.",
    footerHeading = "%nExamples, for this shell or in its start file:%n",
    footer = {
      "  source <(tunnel completion bash)     # ~/.bashrc",
      "  source <(tunnel completion zsh)      # ~/.zshrc",
      "  tunnel completion fish | source      # ~/.config/fish/config.fish",
      "What is completed for tunnel is completed for ./tunnel, too."
    })
public final class CompletionCommand implements Runnable {

  /** Shells that there is a script for. */
  enum Shell {
    bash,
    zsh,
    fish
  }

  /** The option whose values are the tables of the server. */
  static final String TABLE_OPTION = "--table";

  /** What picocli's script cannot: to ask the server that the command line names. */
  private static final String TABLES =
      """

      function _complete_NAME_tables() {
        local word="${COMP_WORDS[COMP_CWORD]}" before=$((COMP_CWORD - 1)) i
        [[ "$word" == "=" ]] && word="" # --table=
        [[ "${COMP_WORDS[before]}" == "=" ]] && before=$((before - 1))
        [[ "${COMP_WORDS[COMP_CWORD]}" == "=" ]] && before=$((COMP_CWORD - 1))
        if [[ "${COMP_WORDS[before]}" != OPTION && ! ( "${COMP_WORDS[1]}" == tail && $COMP_CWORD == 2 && "$word" != -* ) ]]; then
          _complete_NAME "$@"
          return
        fi
        local options=()
        for ((i = 1; i < ${#COMP_WORDS[@]}; i++)); do
          case "${COMP_WORDS[i]}" in
            --server | --profile)
              if [[ "${COMP_WORDS[i + 1]:-}" == "=" ]]; then
                options+=("${COMP_WORDS[i]}" "${COMP_WORDS[i + 2]:-}")
              else
                options+=("${COMP_WORDS[i]}" "${COMP_WORDS[i + 1]:-}")
              fi
              ;;
          esac
        done
        COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" tables list "${options[@]}" 2>/dev/null)" -- "$word"))
      }
      complete -F _complete_NAME_tables -o default NAME NAME.sh NAME.bash
      """;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "bash|zsh|fish", description = "The shell: ${COMPLETION-CANDIDATES}.")
  private Shell shell;

  /** For picocli. */
  public CompletionCommand() {}

  @Override
  public void run() {
    CommandLine root = spec.root().commandLine();
    // One script serves both: in zsh it loads what reads bash's completions.
    String script =
        switch (shell) {
          case bash, zsh -> bash(root);
          case fish -> FishCompletion.of(root);
        };
    spec.commandLine().getOut().print(script);
  }

  private static String bash(CommandLine root) {
    String name = root.getCommandName();
    return AutoComplete.bash(name, root)
        + TABLES.replace("NAME", name).replace("OPTION", TABLE_OPTION);
  }
}
