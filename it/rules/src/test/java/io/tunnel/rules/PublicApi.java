package io.tunnel.rules;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What users of a few packages can name, as text: each public type with its public and protected
 * members, one a line, sorted, without what every object, record and enum has.
 */
final class PublicApi {

  private static final Set<String> OF_EVERY_OBJECT =
      Set.of("equals(java.lang.Object)", "hashCode()", "toString()");
  private static final Set<String> OF_EVERY_ENUM = Set.of("values()", "valueOf(java.lang.String)");

  private PublicApi() {}

  /** The types of exactly these packages. */
  static List<JavaClass> types(JavaClasses all, Collection<String> packages) {
    return all.stream()
        .filter(type -> packages.contains(type.getPackageName()))
        .filter(type -> !type.getSimpleName().equals("package-info"))
        .filter(PublicApi::isSeen)
        .sorted(Comparator.comparing(JavaClass::getName))
        .toList();
  }

  static String text(JavaClasses all, Collection<String> packages) {
    StringBuilder text = new StringBuilder();
    for (JavaClass type : types(all, packages)) {
      text.append(declaration(type)).append(" {\n");
      members(type)
          .map(member -> line(type, member))
          .sorted()
          .forEach(line -> text.append("  ").append(line).append('\n'));
      text.append("}\n\n");
    }
    return text.toString();
  }

  private static boolean isSeen(JavaClass type) {
    return isSeen(type.getModifiers())
        && type.getEnclosingClass().map(PublicApi::isSeen).orElse(true);
  }

  private static boolean isSeen(Set<JavaModifier> modifiers) {
    return !modifiers.contains(JavaModifier.SYNTHETIC)
        && (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED));
  }

  /** Those that users can name; protected ones only where they can extend. */
  static Stream<JavaMember> members(JavaClass type) {
    boolean isFinal = type.getModifiers().contains(JavaModifier.FINAL);
    return type.getMembers().stream()
        .filter(member -> isSeen(member.getModifiers()))
        .filter(member -> !member.getModifiers().contains(JavaModifier.BRIDGE))
        .filter(member -> !isFinal || member.getModifiers().contains(JavaModifier.PUBLIC))
        .filter(member -> !isOfEveryType(type, member));
  }

  /** Types of the protocol that a member shows, as {@code Type.member: shown type}. */
  static List<String> shownOfProtocol(JavaClass type) {
    return members(type)
        .flatMap(
            member ->
                member.getAllInvolvedRawTypes().stream()
                    .filter(
                        shown -> shown.getPackageName().matches("io\\.tunnel\\.(wire|core)\\b.*"))
                    .map(
                        shown ->
                            type.getSimpleName()
                                + "."
                                + member.getName()
                                + ": "
                                + shown.getSimpleName()))
        .distinct()
        .sorted()
        .toList();
  }

  private static boolean isOfEveryType(JavaClass type, JavaMember member) {
    if (!(member instanceof JavaMethod method)) {
      return false;
    }
    String call = method.getName() + "(" + names(method.getRawParameterTypes()) + ")";
    return OF_EVERY_OBJECT.contains(call) || (type.isEnum() && OF_EVERY_ENUM.contains(call));
  }

  private static String declaration(JavaClass type) {
    List<String> words = new ArrayList<>(modifiers(type.getModifiers()));
    // Of a nested type the class file says so, of others only sometimes.
    words.remove("static");
    if (type.isInterface()) {
      words.remove("abstract");
    }
    words.add(kind(type));
    words.add(type.getName() + parameters(type.getTypeParameters()));
    type.getSuperclass()
        .map(PublicApi::name)
        .filter(name -> !name.matches("java\\.lang\\.(Object|Record|Enum(<.*>)?)"))
        .ifPresent(name -> words.add("extends " + name));
    if (!type.getInterfaces().isEmpty()) {
      words.add(
          "implements "
              + type.getInterfaces().stream()
                  .map(PublicApi::name)
                  .sorted()
                  .collect(Collectors.joining(", ")));
    }
    return String.join(" ", words);
  }

  private static String kind(JavaClass type) {
    if (type.isAnnotation()) {
      return "@interface";
    }
    if (type.isInterface()) {
      return "interface";
    }
    if (type.isEnum()) {
      return "enum";
    }
    return type.isRecord() ? "record" : "class";
  }

  private static List<String> modifiers(Set<JavaModifier> modifiers) {
    return Stream.of(
            JavaModifier.PUBLIC,
            JavaModifier.PROTECTED,
            JavaModifier.STATIC,
            JavaModifier.ABSTRACT,
            JavaModifier.FINAL)
        .filter(modifiers::contains)
        .map(modifier -> modifier.name().toLowerCase(Locale.ROOT))
        .toList();
  }

  private static String line(JavaClass type, JavaMember member) {
    String modifiers = String.join(" ", modifiers(member.getModifiers()));
    if (member instanceof JavaField field) {
      return modifiers + " " + name(field.getType()) + " " + field.getName();
    }
    JavaCodeUnit unit = (JavaCodeUnit) member;
    String name = unit instanceof JavaConstructor ? type.getSimpleName() : unit.getName();
    String returned = unit instanceof JavaConstructor ? "" : name(unit.getReturnType()) + " ";
    String thrown =
        unit.getExceptionTypes().isEmpty() ? "" : " throws " + names(unit.getExceptionTypes());
    String parameters = parameters(unit.getTypeParameters());
    return modifiers
        + " "
        + (parameters.isEmpty() ? "" : parameters + " ")
        + returned
        + name
        + "("
        + names(unit.getParameterTypes())
        + ")"
        + thrown;
  }

  private static String parameters(List<? extends JavaType> parameters) {
    return parameters.isEmpty() ? "" : "<" + names(parameters) + ">";
  }

  private static String name(JavaType type) {
    return type instanceof JavaClass array && array.isArray()
        ? name(array.getComponentType()) + "[]"
        : type.getName();
  }

  private static String names(List<? extends JavaType> types) {
    return types.stream().map(PublicApi::name).collect(Collectors.joining(", "));
  }
}
