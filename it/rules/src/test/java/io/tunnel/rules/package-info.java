/** Rules about all modules: their classes, of programs and of tests, and their sources. */
package io.tunnel.rules;
