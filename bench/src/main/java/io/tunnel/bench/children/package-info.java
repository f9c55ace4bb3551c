/** The processes that benchmarks start. */
package io.tunnel.bench.children;
