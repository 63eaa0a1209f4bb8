import { Problem } from '@miftah/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ERROR_STATUS, isErrorCode } from '@miftah/contract/errors';
import type { HostileRequest } from './hostile-request.ts';
import type { RawAnswer } from './raw-connection.ts';
import { INJECTED_HEADER, SCRIPT } from './values.ts';

interface ProblemBody {
  readonly type: string;
  readonly status: number;
  readonly code: string;
}

const isProblemBody = new Ajv2020({ strict: false, validateFormats: false }).compile<ProblemBody>(
  Problem,
);

/** The fault of an answer; null when it is right. */
export function faultIn(request: HostileRequest, answer: RawAnswer): string | null {
  const { status, headers, body } = answer;
  if (!(status >= 200 && status < 500)) return `status ${status}`;
  if (headers.has(INJECTED_HEADER)) return 'a header of the attacker';
  if (isPage(answer) && body.includes(SCRIPT)) return 'markup of the attacker';
  if (status < 400 || request.method === 'HEAD') return null;
  if (isUnknownToBrowser(request, answer)) return faultInProblem(request, answer);
  if (isAreaB(request)) return faultInRecord(answer);
  if (isControl(request)) return faultInControl(answer);
  return faultInProblem(request, answer);
}

/** For an unknown path a browser gets a page; such a request belongs to neither area. */
function isUnknownToBrowser({ accept }: HostileRequest, answer: RawAnswer): boolean {
  const isUnknown = answer.status === 404 || answer.status === 405;
  return isUnknown && isPage(answer) && accept.includes('text/html');
}

const isPage = ({ headers }: RawAnswer) => mediaTypeOf(headers) === 'text/html';
const isAreaB = ({ target }: HostileRequest) => pathOf(target).startsWith('/stg/');
const isControl = ({ target }: HostileRequest) => pathOf(target).startsWith('/simulator/');

/** The path of a target, which may also be a whole address (RFC 9112 section 3.2.2). */
function pathOf(target: string): string {
  return target.replace(/^[a-z]+:\/\/[^/]*/i, '');
}

function mediaTypeOf(headers: RawAnswer['headers']): string {
  return (headers.get('content-type') ?? '').split(';')[0] ?? '';
}

/** Area A: an error of the catalogue, or a page on routes for people. */
function faultInProblem({ accept }: HostileRequest, answer: RawAnswer): string | null {
  const { status, headers, body } = answer;
  const type = mediaTypeOf(headers);
  if (headers.get('cache-control') !== 'no-store') return 'it may be cached';
  if (headers.get('x-content-type-options') !== 'nosniff') return 'it may be sniffed';
  if (isPage(answer)) return body.includes('<html') ? null : 'it is no page';
  const types = ['application/problem+json', ...(accept === 'application/json' ? [accept] : [])];
  if (!types.includes(type)) return `type ${type}`;
  const problem = parsed(body);
  if (!isProblemBody(problem)) return 'no problem of RFC 9457';
  const { code, type: reference } = problem;
  if (!isErrorCode(code)) return `code ${code} is not in the catalogue`;
  if (ERROR_STATUS[code] !== status || problem.status !== status) return `${code} with ${status}`;
  return reference === `/errors/${code}` ? null : `type ${reference}`;
}

/** Area B: an error record of the provider, or a plain text of its gateway. */
function faultInRecord({ status, headers, body }: RawAnswer): string | null {
  if (mediaTypeOf(headers) === 'text/plain') return null;
  const record = membersOf(parsed(body));
  if (isProblem(record, status)) return null;
  const isRecord =
    record['status'] === String(status) && /^\d{3}-\d{3}-\d{3}$/.test(String(record['code']));
  return isRecord ? null : 'no record of the provider';
}

function faultInControl({ status, body }: RawAnswer): string | null {
  return isProblem(membersOf(parsed(body)), status) ? null : 'no problem';
}

/** A request that fails before its path is read belongs to neither area. */
function isProblem(record: Readonly<Record<string, unknown>>, status: number): boolean {
  return record['status'] === status && typeof record['code'] === 'string';
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
