/** JMH benchmarks, each stating the question that it answers. */
package io.tunnel.bench;
