/**
 * What keys and batches cost, and what a server does with batches. From the project's root, {@code
 * docs/internals/notes/codec.md} has the results:
 *
 * <pre>{@code
 * mvn -q -pl bench -am -DskipTests package \
 *     && java -cp 'bench/target/bench/lib/*' org.openjdk.jmh.Main 'bench.codec'
 * }</pre>
 */
package io.tunnel.bench.codec;
