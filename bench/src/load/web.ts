/** Requests of browsers and of OpenID clients, as text. */
import type { Answer } from './connection.ts';
import { member, type Exchange } from './requests.ts';

interface To {
  readonly port: number;
  readonly cookies?: ReadonlyMap<string, string>;
  /** Further lines of the head, each with its end. */
  readonly more?: string;
}

export function get(path: string, to: To): string {
  return `GET ${path} HTTP/1.1\r\n${headOf(to)}\r\n`;
}

export function form(path: string, fields: Record<string, string>, to: To): string {
  const text = new URLSearchParams(fields).toString();
  return (
    `POST ${path} HTTP/1.1\r\n${headOf(to)}` +
    'Content-Type: application/x-www-form-urlencoded\r\n' +
    `Content-Length: ${text.length}\r\n\r\n${text}`
  );
}

function headOf({ port, cookies = new Map(), more = '' }: To): string {
  const pairs = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return `Host: 127.0.0.1:${port}\r\n${pairs === '' ? '' : `Cookie: ${pairs}\r\n`}${more}`;
}

/** Keeps the cookies of an answer as a browser does, without their attributes. */
export function keepCookies(head: string, cookies: Map<string, string>): void {
  for (const [, name = '', value = ''] of head.matchAll(/\r\nset-cookie: *([^=]+)=([^;\r]*)/gi)) {
    cookies.set(name, value);
  }
}

/** A push by CIBA that is taken. */
export function cibaStarted(request: string, onStarted: (id: string) => void): Exchange {
  return {
    request,
    accept: ({ status, body }) => {
      const id = member(body, 'auth_req_id');
      if (status !== 200 || typeof id !== 'string') return false;
      onStarted(id);
      return true;
    },
  };
}

/** A poll by CIBA before the person has decided. */
export function cibaPending(request: string): Exchange {
  return {
    request,
    accept: ({ status, body }) =>
      status === 400 && member(body, 'error') === 'authorization_pending',
  };
}

export function hasTokens({ status, body }: Answer): boolean {
  const idToken = member(body, 'id_token');
  const accessToken = member(body, 'access_token');
  return status === 200 && typeof idToken === 'string' && typeof accessToken === 'string';
}
