import type { Context, Provider } from 'oidc-provider/lib/provider.js';

/** The library's names of the endpoints that fail where a test says so. */
const ENDPOINTS = ['token', 'userinfo', 'jwks', 'discovery'] as const;
type FaultyEndpoint = (typeof ENDPOINTS)[number];

/** OpenID Connect Discovery 1.0. The library has two such endpoints, and tells the path of the other. */
const DISCOVERY_PATH = '/.well-known/openid-configuration';

/** As the faults of the national provider are. */
interface MetFaults {
  readonly latencyMs: number;
  readonly fault:
    | { readonly kind: 'gateway'; readonly status: number; readonly text: string }
    | {
        readonly kind: 'outage';
        readonly status: number;
        readonly mediaType: string;
        readonly body: string;
      }
    | { readonly kind: 'malformed' | 'cut' }
    | { readonly kind: 'timeout'; readonly afterMs: number }
    | null;
}

interface Faults {
  /** Decides about one call, and counts it. */
  readonly meet: (endpoint: FaultyEndpoint) => MetFaults;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Has the endpoints of the library meet faults. */
export function meetFaults(provider: Provider, { meet, sleep }: Faults): void {
  const pathOf = (name: FaultyEndpoint) =>
    name === 'discovery' ? DISCOVERY_PATH : provider.pathFor(name);
  const endpoints = new Map(ENDPOINTS.map((name) => [pathOf(name), name]));
  provider.use(async (asked, next) => {
    const endpoint = asked.req.method === 'OPTIONS' ? undefined : endpoints.get(asked.path);
    if (endpoint === undefined) return next();
    const { latencyMs, fault } = meet(endpoint);
    if (latencyMs > 0) await sleep(latencyMs);
    if (fault?.kind === 'gateway') return answerWith(asked, fault.status, 'text', fault.text);
    if (fault?.kind === 'outage') {
      return answerWith(asked, fault.status, fault.mediaType, fault.body);
    }
    await next();
    // Only the answer to a call that was carried out is damaged.
    if (fault === null || asked.status >= 300) return;
    if (fault.kind === 'timeout') await sleep(fault.afterMs);
    else answerHalf(asked, fault.kind === 'cut');
  });
}

function answerWith(asked: Context, status: number, type: string, body: string): void {
  Object.assign(asked, { status, type, body });
}

/**
 * The first half of the answer, which is no valid JSON: as if it were whole, or before the connection
 * ends. It is sent here, because a middleware around this one reads the body of discovery.
 */
function answerHalf(asked: Context, isCut: boolean): void {
  const { res, body } = asked;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const half = text.slice(0, Math.floor(text.length / 2));
  Object.assign(asked, { respond: false });
  res.statusCode = asked.status;
  res.setHeader('content-length', Buffer.byteLength(half) + (isCut ? 1 : 0));
  res.write(half, () => void (isCut ? res.destroy() : res.end()));
}
