package io.tunnel.texts;

import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.PrimitiveTypeTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Finds switches with a default whose labels are constants of one enum that the same sources
 * declare. The sources are only parsed, so an enum is known by the names of its constants.
 */
final class EnumSwitches {

  private EnumSwitches() {}

  /** {@code File.java:LINE} of each, in the order of the sources. */
  static List<String> withDefault(List<Path> sources) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources));
      List<CompilationUnitTree> units = new ArrayList<>();
      task.parse().forEach(units::add);
      List<Set<String>> enums = new ArrayList<>();
      units.forEach(unit -> new EnumsOfOurs(enums).scan(unit, null));
      List<String> found = new ArrayList<>();
      for (CompilationUnitTree unit : units) {
        new Switches(Trees.instance(task), unit, enums, found).scan(unit, null);
      }
      return found;
    }
  }

  /** Collects the names of the constants of each enum. */
  private static final class EnumsOfOurs extends TreeScanner<Void, Void> {
    private final List<Set<String>> enums;

    EnumsOfOurs(List<Set<String>> enums) {
      this.enums = enums;
    }

    @Override
    public Void visitClass(ClassTree type, Void unused) {
      if (type.getKind() == Tree.Kind.ENUM) {
        Set<String> constants = new HashSet<>();
        for (Tree member : type.getMembers()) {
          if (member instanceof VariableTree variable
              && variable.getType() instanceof IdentifierTree of
              && of.getName().equals(type.getSimpleName())) {
            constants.add(variable.getName().toString());
          }
        }
        enums.add(constants);
      }
      return super.visitClass(type, null);
    }
  }

  private static final class Switches extends TreeScanner<Void, Void> {
    private final Trees trees;
    private final CompilationUnitTree unit;
    private final List<Set<String>> enums;
    private final List<String> found;

    /** Names of fields of a primitive type that the unit declares: a label may be one of them. */
    private final Set<String> numbers = new HashSet<>();

    Switches(Trees trees, CompilationUnitTree unit, List<Set<String>> enums, List<String> found) {
      this.trees = trees;
      this.unit = unit;
      this.enums = enums;
      this.found = found;
    }

    @Override
    public Void visitClass(ClassTree type, Void unused) {
      for (Tree member : type.getMembers()) {
        if (member instanceof VariableTree field && field.getType() instanceof PrimitiveTypeTree) {
          numbers.add(field.getName().toString());
        }
      }
      return super.visitClass(type, null);
    }

    @Override
    public Void visitSwitch(SwitchTree node, Void unused) {
      look(node, node.getCases());
      return super.visitSwitch(node, null);
    }

    @Override
    public Void visitSwitchExpression(SwitchExpressionTree node, Void unused) {
      look(node, node.getCases());
      return super.visitSwitchExpression(node, null);
    }

    private void look(Tree node, List<? extends CaseTree> cases) {
      Set<String> labels = new HashSet<>();
      boolean hasDefault = false;
      for (CaseTree each : cases) {
        hasDefault |= each.getExpressions().isEmpty();
        for (ExpressionTree label : each.getExpressions()) {
          labels.add(label instanceof IdentifierTree name ? name.getName().toString() : "");
        }
      }
      boolean isOfOurs = enums.stream().anyMatch(constants -> constants.containsAll(labels));
      if (hasDefault && isOfOurs && !numbers.containsAll(labels)) {
        long at = trees.getSourcePositions().getStartPosition(unit, node);
        String file = Path.of(unit.getSourceFile().getName()).getFileName().toString();
        found.add(file + ":" + unit.getLineMap().getLineNumber(at));
      }
    }
  }
}
