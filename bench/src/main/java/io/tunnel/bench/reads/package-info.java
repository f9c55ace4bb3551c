/** What reads of rows cost: the program is {@link io.tunnel.bench.reads.FilterMain}. */
package io.tunnel.bench.reads;
