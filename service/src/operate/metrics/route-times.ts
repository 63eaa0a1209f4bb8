import type { RouteMeter } from './meter.port.ts';
import { SECOND_MS, type Ms } from '../../values/time.ts';

const NAME = 'miftah_http_request_duration_seconds';
const HELP = 'Duration of requests by route pattern and class of HTTP status';

/** In seconds. Most requests take a few milliseconds; a call to the provider takes up to 5 s. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BOUNDS_MS = BOUNDS.map((bound) => bound * SECOND_MS);

interface Times {
  /** One for each bound, and one for what is longer. Not cumulative. */
  readonly counts: Float64Array;
  sumMs: Ms;
}

/**
 * Histograms of the durations of requests. Every request is counted, so this allocates nothing for
 * one: the library's histogram hashes its labels at each observation, which would cost a status
 * read about one percent.
 */
export class RouteTimes {
  readonly #routes = new Map<string, RouteHistograms>();

  route(method: string, route: string): RouteMeter {
    const labels = `method="${method}",route="${escaped(route)}"`;
    const known = this.#routes.get(labels) ?? new RouteHistograms(labels);
    this.#routes.set(labels, known);
    return known;
  }

  /** In the Prometheus text format. */
  render(): string {
    const series = [...this.#routes.values()].flatMap((route) => route.lines());
    return [`# HELP ${NAME} ${HELP}`, `# TYPE ${NAME} histogram`, ...series, ''].join('\n');
  }
}

class RouteHistograms implements RouteMeter {
  readonly #labels: string;
  /** By the first digit of the status. */
  readonly #classes: (Times | undefined)[] = [];

  constructor(labels: string) {
    this.#labels = labels;
  }

  observe(status: number, durationMs: Ms): void {
    const digit = Math.trunc(status / 100);
    const times = (this.#classes[digit] ??= newTimes());
    times.sumMs += durationMs;
    const bucket = bucketOf(durationMs);
    times.counts[bucket] = (times.counts[bucket] ?? 0) + 1;
  }

  lines(): string[] {
    return this.#classes.flatMap((times, digit) =>
      times === undefined ? [] : linesOf(`${this.#labels},status="${digit}xx"`, times),
    );
  }
}

function newTimes(): Times {
  return { counts: new Float64Array(BOUNDS.length + 1), sumMs: 0 };
}

function bucketOf(durationMs: Ms): number {
  let bucket = 0;
  while (bucket < BOUNDS_MS.length && durationMs > (BOUNDS_MS[bucket] ?? 0)) bucket += 1;
  return bucket;
}

function linesOf(labels: string, { counts, sumMs }: Times): string[] {
  const lines: string[] = [];
  let total = 0;
  for (const [bucket, count] of counts.entries()) {
    total += count;
    lines.push(`${NAME}_bucket{${labels},le="${BOUNDS[bucket] ?? '+Inf'}"} ${total}`);
  }
  lines.push(`${NAME}_sum{${labels}} ${sumMs / SECOND_MS}`, `${NAME}_count{${labels}} ${total}`);
  return lines;
}

/** As the text format asks for in label values. */
function escaped(text: string): string {
  return text.replace(/[\\"]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`);
}
