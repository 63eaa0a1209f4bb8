import type { FastifyBaseLogger, FastifyLogFn } from 'fastify';

type ChildParameters = Parameters<FastifyBaseLogger['child']>;

const METHODS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * The log of one request; its lines carry the request's id. For most requests only `logRequest`
 * writes a line, and not through this, so the logger behind it is created when the first line is
 * written.
 */
export class RequestLog implements FastifyBaseLogger {
  declare readonly fatal: FastifyLogFn;
  declare readonly error: FastifyLogFn;
  declare readonly warn: FastifyLogFn;
  declare readonly info: FastifyLogFn;
  declare readonly debug: FastifyLogFn;
  declare readonly trace: FastifyLogFn;
  declare readonly silent: FastifyLogFn;
  readonly #parent: FastifyBaseLogger;
  #given: ChildParameters;
  #own: FastifyBaseLogger | null = null;

  constructor(parent: FastifyBaseLogger, ...given: ChildParameters) {
    this.#parent = parent;
    this.#given = given;
  }

  get level(): string {
    return this.own().level;
  }

  child(...given: ChildParameters): FastifyBaseLogger {
    return this.own().child(...given);
  }

  /** Adds members to each line that is written from now on. */
  bind(members: Readonly<Record<string, string>>): void {
    const [bindings, options] = this.#given;
    this.#given = [{ ...bindings, ...members }, options];
    this.#own = null;
  }

  own(): FastifyBaseLogger {
    return (this.#own ??= this.#parent.child(...this.#given));
  }
}

for (const method of METHODS) {
  Object.defineProperty(RequestLog.prototype, method, {
    value(this: RequestLog, ...said: Parameters<FastifyLogFn>) {
      const log = this.own();
      Reflect.apply(log[method], log, said);
    },
  });
}
