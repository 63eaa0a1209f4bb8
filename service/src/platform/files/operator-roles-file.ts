import { statSync } from 'node:fs';
import { faultOfJson } from '@miftah/schema/json-place';
import { readRegularFile } from '@miftah/schema/regular-file';
import { memberOf } from '../../values/member.ts';
import {
  OperatorRolesError,
  parseRole,
  type OperatorRoles,
  type Role,
} from '../../values/operator-role.ts';

const MOST_BYTES = 1024 * 1024;
const MEMBERS: ReadonlySet<string> = new Set(['subjects', 'claim', 'groups', 'scopes']);
const NAME = /^[\u0021-\u007e]{1,255}$/;

/**
 * Who of the operators has which role. The file is read again when it has changed, so that a role is
 * taken away with the next request.
 * @returns a function that @throws OperatorRolesError, and then nobody has a role
 */
export function operatorRolesFile(path: string): () => OperatorRoles {
  let read: { readonly mark: string; readonly roles: OperatorRoles } | null = null;
  return () => {
    const mark = markOf(path);
    if (read?.mark !== mark) read = { mark, roles: rolesIn(path) };
    return read.roles;
  };
}

/** Changes with the file. */
function markOf(path: string): string {
  try {
    const { mtimeMs, ctimeMs, ino, size } = statSync(path);
    return [mtimeMs, ctimeMs, ino, size].join(' ');
  } catch (error) {
    throw new OperatorRolesError(`OPERATOR_ROLES_FILE ${path} is not there, or can not be read`, {
      cause: error,
    });
  }
}

function rolesIn(path: string): OperatorRoles {
  const content = parsed(path);
  const fault = (what: string) =>
    new OperatorRolesError(`OPERATOR_ROLES_FILE ${path} can't be used: ${what}`);
  const unknown = Object.keys(content).filter((name) => !MEMBERS.has(name));
  if (unknown.length > 0) throw fault(`it has no member ${JSON.stringify(unknown[0])}`);
  const claim = memberOf(content, 'claim') ?? null;
  const [subjects, groups] = ['subjects', 'groups'].map((name) => {
    const found = rolesOf(memberOf(content, name) ?? {});
    if (found === null) throw fault(`"${name}" has to give each name viewer, support or admin`);
    return found;
  });
  const scopes = memberOf(content, 'scopes') ?? [];
  if (claim !== null && (typeof claim !== 'string' || !NAME.test(claim))) {
    throw fault('"claim" has to be the name of a claim');
  }
  if (!Array.isArray(scopes) || !scopes.every(isScope)) {
    throw fault('"scopes" has to be a list of scopes');
  }
  if (subjects === undefined || groups === undefined) throw fault('it is empty');
  if (groups.size > 0 && claim === null) throw fault('"groups" needs "claim"');
  return { subjects, claim, groups, scopes };
}

const isScope = (scope: unknown): scope is string =>
  typeof scope === 'string' && /^[\w.:/-]{1,100}$/.test(scope);

function parsed(path: string): object {
  let text = '';
  try {
    text = readRegularFile(path, MOST_BYTES);
    const content: unknown = JSON.parse(text);
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content;
  } catch (error) {
    const what = error instanceof SyntaxError ? faultOfJson(text) : 'it can not be read';
    throw new OperatorRolesError(`OPERATOR_ROLES_FILE ${path}: ${what}`, { cause: error });
  }
  throw new OperatorRolesError(`OPERATOR_ROLES_FILE ${path}: it has to be an object`);
}

/** Null where something in it is no role. */
function rolesOf(content: unknown): ReadonlyMap<string, Role> | null {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return null;
  const roles = new Map<string, Role>();
  for (const [name, value] of Object.entries(content)) {
    const role = typeof value === 'string' ? parseRole(value) : null;
    if (role === null) return null;
    roles.set(name, role);
  }
  return roles;
}
