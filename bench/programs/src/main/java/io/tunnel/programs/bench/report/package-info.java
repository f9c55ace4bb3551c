/**
 * What a benchmark tells: {@link io.tunnel.programs.bench.report.Report} holds the numbers, the
 * others make of it a table for people, one JSON object for programs, charts and a page that shows
 * them. The one package that knows the chart library.
 */
package io.tunnel.programs.bench.report;
