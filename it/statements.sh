#!/usr/bin/env bash
# Counts what main code consists of, by javac's own parser: files, lines, types, statements and lines of comments.
#
#   it/statements.sh              one line for each module, and one for all
#   it/statements.sh DIRECTORY... one line for each directory, such as bench/programs/src/main/java
#
# A statement is a statement of a block, an initialised or declared field, or the expression that is the body of a
# lambda; blocks themselves, imports and packages do not count.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat > "$work/Statements.java" << 'JAVA'
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.nio.file.*;
import java.util.*;
import javax.tools.*;

class Statements {
  public static void main(String[] directories) throws Exception {
    System.out.printf("%7s %8s %7s %10s %9s%n", "files", "lines", "types", "statements", "comments");
    long[] all = new long[5];
    for (String directory : directories) {
      long[] counts = count(Path.of(directory));
      Arrays.setAll(all, i -> all[i] + counts[i]);
      print(counts, directory);
    }
    print(all, "all");
  }

  static void print(long[] c, String name) {
    System.out.printf("%7d %8d %7d %10d %9d  %s%n", c[0], c[1], c[2], c[3], c[4], name);
  }

  static long[] count(Path directory) throws Exception {
    long[] counts = new long[5];
    List<Path> files;
    try (var walk = Files.walk(directory)) {
      files = walk.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
    for (Path file : files) {
      counts[0]++;
      for (String line : Files.readAllLines(file)) {
        counts[1]++;
        String text = line.strip();
        if (text.startsWith("//") || text.startsWith("/*") || text.startsWith("*")) {
          counts[4]++;
        }
      }
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    var sources = compiler.getStandardFileManager(null, null, null).getJavaFileObjectsFromPaths(files);
    JavacTask task = (JavacTask) compiler.getTask(null, null, null, List.of("-proc:none"), null, sources);
    TreeScanner<Void, Void> scanner = new TreeScanner<>() {
      @Override
      public Void scan(Tree tree, Void unused) {
        if (tree instanceof ClassTree) {
          counts[2]++;
        } else if (tree instanceof StatementTree && !(tree instanceof BlockTree)) {
          counts[3]++;
        }
        return super.scan(tree, unused);
      }

      @Override
      public Void visitLambdaExpression(LambdaExpressionTree lambda, Void unused) {
        if (lambda.getBodyKind() == LambdaExpressionTree.BodyKind.EXPRESSION) {
          counts[3]++;
        }
        return scan(lambda.getBody(), unused); // its parameters are no statements
      }

      @Override
      public Void visitMethod(MethodTree method, Void unused) {
        return scan(method.getBody(), unused); // nor are those of a method
      }
    };
    for (CompilationUnitTree unit : task.parse()) {
      scanner.scan(unit, null);
    }
    return counts;
  }
}
JAVA

if [ $# -eq 0 ]; then
  mapfile -t directories < <(git ls-files '*.java' | grep -o '^.*src/main/java/' | sort -u)
  set -- "${directories[@]%/}"
fi
java "$work/Statements.java" "$@"
