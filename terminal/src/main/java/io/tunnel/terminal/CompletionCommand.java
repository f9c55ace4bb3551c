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
      "What is completed for tunnel is completed for ./tunnel, too."
    })
public final class CompletionCommand implements Runnable {

  /** Shells that there is a script for. */
  enum Shell {
    bash,
    zsh
  }

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "bash|zsh", description = "The shell: ${COMPLETION-CANDIDATES}.")
  private Shell shell;

  /** For picocli. */
  public CompletionCommand() {}

  @Override
  public void run() {
    CommandLine root = spec.root().commandLine();
    // One script serves both: in zsh it loads what reads bash's completions.
    String script =
        switch (shell) {
          case bash, zsh -> AutoComplete.bash(root.getCommandName(), root);
        };
    spec.commandLine().getOut().print(script);
  }
}
