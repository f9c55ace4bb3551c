/**
 * What clients asked and were told, as a file that any checker can read, and a checker: whether
 * each key behaves as if one call after the other had been done, each at some moment between its
 * beginning and its end.
 */
package io.tunnel.it.history;
