/** JMH benchmarks; the Javadoc of each benchmark asks the question that it answers. */
package io.tunnel.bench;
