import type { AttemptStatus, Introspection, Problem, TokenUser, User } from '@miftah/client';
import { expect, test } from 'vitest';
import { openTestService } from '../support/service/test-service.ts';

/**
 * C-12: each member that the service's own document has is in the types, and none else. A table
 * lacks or adds a member only against its type, which the compiler refuses.
 */

type Members<Type> = Readonly<Record<keyof Type & string, string>>;

const USER: Members<User> = {
  id: 'integer',
  nationalId: 'string',
  name: 'string',
  arabicName: 'string',
  englishName: 'string',
  preferredLocale: 'string',
  nationality: 'string',
  gender: 'string',
  assuranceLevel: 'integer',
  lastAuthMethod: 'string',
};
const TOKEN_USER: Members<TokenUser> = { ...USER, clientId: 'string' };
const STATUS: Members<AttemptStatus> = {
  attemptId: 'string',
  status: 'string',
  providerStatus: 'string',
  message: 'string|null',
  tokenReady: 'boolean',
  user: 'object|null',
};
const INTROSPECTION: Members<Introspection> = {
  active: 'boolean',
  clientId: 'string',
  tokenType: 'string',
  sub: 'string',
  jti: 'string',
  issuedAt: 'integer',
  expiresAt: 'integer',
};
const PROBLEM: Members<Problem> = {
  type: 'string',
  title: 'string',
  status: 'integer',
  detail: 'string',
  code: 'string',
  message: 'string',
  remedy: 'string',
  success: 'boolean',
  attemptId: 'string',
  errors: 'object',
  violations: 'array',
  'violated-policies': 'array',
  reference: 'integer',
  requestId: 'string',
};
const RENAMED: Readonly<Record<string, string>> = { iat: 'issuedAt', exp: 'expiresAt' };

interface Served {
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Served[];
  readonly properties?: Readonly<Record<string, Served>>;
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Served>> };
  readonly paths: Readonly<Record<string, unknown>>;
}

async function served(): Promise<Document> {
  const { app } = await openTestService({ settings: { DOCS: 'on' } });
  const answer = await app.inject({ url: '/openapi.json' });
  return answer.json<Document>();
}

/** The first schema of this title, wherever the document has it. */
function titled(value: unknown, title: string): Served | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('title' in value && value.title === title) return value as Served;
  for (const member of Object.values(value)) {
    const found = titled(member, title);
    if (found !== undefined) return found;
  }
  return undefined;
}

function membersOf(schema: Served | undefined): Record<string, string> {
  const members = Object.entries(schema?.properties ?? {}).map(([name, member]) => [
    RENAMED[name] ?? name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    typeOf(member),
  ]);
  return Object.fromEntries(members) as Record<string, string>;
}

function typeOf({ type, $ref, enum: listed, anyOf }: Served): string {
  if (anyOf !== undefined) return anyOf.map(typeOf).join('|');
  if ($ref !== undefined) return 'object';
  if (typeof type === 'string') return type;
  return type?.join('|') ?? typeof listed?.[0];
}

test.each([
  ['User', USER],
  ['TokenUser', TOKEN_USER],
  ['AttemptStatus', STATUS],
  ['Introspection', INTROSPECTION],
  ['Problem', PROBLEM],
])('C-12 the type %s has the members of the served document', async (title, members) => {
  expect(membersOf(titled(await served(), title))).toEqual(members);
});
