/** What a decision costs that says who may do what, among as many permissions as there may be. */
package io.tunnel.bench.security;
