/** {@code tunnel doctor}: what is wrong with a data directory, and what to do about it. */
package io.tunnel.cli.doctor;
