import { type Command, Option } from 'commander';
import { hashClientKey, type Client } from '../../account/client.ts';
import { newWebhookSecret } from '../webhooks/webhooks.ts';
import { keysOf, withClient, withKey, withLastKey, withLimits, withoutClient } from './entries.ts';
import type { AddCommand, ClientRow, CommandContext } from '../command-context.ts';
import { givenReason, REASON, type ReasonOptions } from '../reason.ts';
import { counted } from '../ended-words.ts';
import { group } from '../instance/group.ts';
import { jsonWithoutControls } from '../instance/without-controls.ts';

const KEY_BYTES = 32;

interface FileOptions extends ReasonOptions {
  readonly file?: string;
}

interface AddOptions extends FileOptions {
  readonly nameAr: string;
  readonly nameEn: string;
  readonly type: string;
  readonly returnAddress: readonly string[];
  readonly codeIn?: string;
  readonly keyless: readonly string[];
  readonly limits?: string;
  readonly openid?: string;
  readonly webhook: readonly string[];
}

/** How the service gets to know of a change. Without its full stop. */
const RELOAD =
  "Send the service SIGHUP (under systemd: `systemctl reload miftah 'miftah@*.service'`)";
const FILE = ['--file <path>', 'in the place of CLIENTS_FILE'] as const;

/** `miftah client list | key | add | set-limits | rotate-key | remove`. */
export const clientCommand: AddCommand = (program, context) => {
  const client = group(program, 'client', 'the applications that may use the service');
  addList(client, context);
  client
    .command('key')
    .description('makes a key: the hash is for CLIENTS_FILE, the key for the application')
    .action(() => {
      const { print } = context;
      const { key, hash } = newKey(context);
      print(`key   ${key}`);
      print(`hash  ${hash}`);
      print('');
      print('The key is shown this once: give it to the application, as a secret.');
      print('Add the hash to "keys" of the client in CLIENTS_FILE, then send the service SIGHUP.');
    });
  addAdd(client, context);
  addSetLimits(client, context);
  addRotate(client, context);
  client
    .command('remove')
    .argument('<id>', 'as in the clients file')
    .option(...FILE)
    .option(...REASON)
    .description('takes an application out of the clients file')
    .action(async (id: string, options: FileOptions) => {
      const reason = givenReason(context, options);
      if (reason === undefined) return;
      const row = { action: 'client.removed', client: id, reason } as const;
      const remove = (entries: readonly unknown[]) => withoutClient(entries, id);
      const path = await context.editClients(options.file, remove, { row });
      context.print(`Took ${id} out of ${path}.`);
      context.print(`${RELOAD}: then its keys and its tokens stop.`);
      context.print(`\`miftah revoke --client ${id}\` ends its tokens and sign-ins for good; else`);
      context.print('they are good again when it is put back.');
    });
};

function addList(client: Command, context: CommandContext): void {
  client
    .command('list', { isDefault: true })
    .option(...FILE)
    .option('--json', 'one JSON object a line')
    .description('the applications of the clients file')
    .action(async ({ file, json }: FileOptions & { readonly json?: true }) => {
      const clients = await context.clients(file);
      for (const one of clients ?? []) {
        context.print(json === true ? jsonWithoutControls(listed(one)) : lineOf(one));
      }
      if (clients === null) context.tell(NO_FILE);
    });
}

const NO_FILE =
  'CLIENTS_FILE is not set. Simulator mode has an application of its own then, and live mode none: ' +
  '`miftah client add`, with CLIENTS_FILE set, makes the file.';

function listed({ id, name, type, keys, keyless, limits, openid, ...client }: Client) {
  return {
    id,
    name,
    type,
    keys: keys.length,
    keyless,
    return_addresses: client.returnAddresses,
    limits: limitsAsWritten(limits),
    redirect_uris: openid?.redirectUris ?? [],
    webhooks: client.webhooks.length,
  };
}

/** Those that are not the usual ones, by their names in the file. */
function limitsAsWritten({
  requestsPerMinute,
  pushesPerMinute,
  pushesPerPersonPerDay,
}: Client['limits']) {
  const all = {
    requests_per_minute: requestsPerMinute,
    pushes_per_minute: pushesPerMinute,
    pushes_per_person_per_day: pushesPerPersonPerDay,
  };
  return Object.fromEntries(Object.entries(all).filter(([, most]) => most !== null));
}

function lineOf({ id, name, type, keys, limits, openid, webhooks }: Client): string {
  const own = Object.entries(limitsAsWritten(limits)).map(([limit, most]) => `${limit} ${most}`);
  const parts = [
    id,
    type,
    counted(keys.length, 'key'),
    ...(openid === null ? [] : ['OpenID']),
    ...(webhooks.length === 0 ? [] : ['webhooks']),
    ...own,
    `${name.en} / ${name.ar}`,
  ];
  return parts.join('  ');
}

function addAdd(client: Command, context: CommandContext): void {
  client
    .command('add')
    .argument('<id>', 'lower-case letters, digits and "-"; never of another application before')
    .requiredOption('--name-ar <name>', 'as people see it in Arabic')
    .requiredOption('--name-en <name>', 'as people see it in English')
    .addOption(
      new Option('--type <type>').choices(['confidential', 'public']).default('confidential'),
    )
    .option(
      '--return-address <url>',
      'where a sign-in comes back to; as often as needed',
      collect,
      [],
    )
    .addOption(
      new Option('--code-in <place>', 'of a return address').choices(['query', 'fragment']),
    )
    .option('--keyless <flow>', 'oidc or mfa: may be started without a key', collect, [])
    .option('--limits <json>', 'the member "limits", as docs/applications.md has it')
    .option('--openid <json>', 'the member "openid", as docs/openid.md has it')
    .option('--webhook <url>', 'a receiver, whose secret is made; as often as needed', collect, [])
    .option(...FILE)
    .option(...REASON)
    .description('adds an application to the clients file, and makes its key')
    .action(async (id: string, options: AddOptions) => {
      const [openid, limits] = [objectIn(options.openid), objectIn(options.limits)];
      if (openid === null) return context.misuse(OPENID_FORM);
      if (limits === null) return context.misuse(LIMITS_FORM);
      const reason = givenReason(context, options);
      if (reason === undefined) return;
      const key = needsKey(options, openid) ? newKey(context) : null;
      const webhooks = options.webhook.map((url): Receiver => ({
        url,
        secrets: [newWebhookSecret(context)],
      }));
      const keys = key === null ? [] : [key.hash];
      const entry = entryOf(id, options, { limits, openid, keys, webhooks });
      let isFirst = false;
      const add = (entries: readonly unknown[]) => {
        isFirst = entries.length === 0;
        return withClient(entries, entry);
      };
      const before = () => show(context, key, webhooks);
      const row = { action: 'client.added', client: id, reason } as const;
      const path = await context.editClients(options.file, add, { before, makes: true, row });
      context.print(`Added ${id} to ${path}. ${isFirst ? FIRST : NEXT}`);
    });
}

const OPENID_FORM =
  '--openid must be a JSON object, such as ' +
  `'{"redirect_uris": ["https://shop.example.com/cb"]}' (docs/openid.md).`;
const LIMITS_FORM = `--limits must be a JSON object, such as '{"pushes_per_minute": 60}'.`;
const NEXT = `${RELOAD}: it is no client before.`;
const FIRST =
  'It is the first one: the service reads the file at its start, and needs the right to.';

function addSetLimits(client: Command, context: CommandContext): void {
  client
    .command('set-limits')
    .argument('<id>', 'as in the clients file')
    .requiredOption('--limits <json>', "in the place of its own; '{}' for the usual ones")
    .option(...FILE)
    .option(...REASON)
    .description('changes the limits of an application in the clients file')
    .action(async (id: string, options: FileOptions & { readonly limits: string }) => {
      const limits = objectIn(options.limits);
      if (limits === null || limits === undefined) return context.misuse(LIMITS_FORM);
      const reason = givenReason(context, options);
      if (reason === undefined) return;
      const row = { action: 'client.changed', client: id, reason } as const;
      const set = (entries: readonly unknown[]) => withLimits(entries, id, limits);
      const path = await context.editClients(options.file, set, { row });
      context.print(`Changed the limits of ${id} in ${path}. ${RELOAD}: they count from then on.`);
    });
}

/** `miftah client rotate-key ID`, and `--retire` when the application uses the new one. */
function addRotate(client: Command, context: CommandContext): void {
  client
    .command('rotate-key')
    .argument('<id>', 'as in the clients file')
    .option('--retire', 'takes out the keys before the last one')
    .option(...FILE)
    .option(...REASON)
    .description('makes a second key of an application, or ends the first')
    .action(async (id: string, options: FileOptions & { retire?: boolean }) => {
      const reason = givenReason(context, options);
      if (reason === undefined) return;
      const row = { action: 'client.changed', client: id, reason } as const;
      if (options.retire === true) return retireKeys(context, options.file, row);
      const key = newKey(context);
      const rotate = (entries: readonly unknown[]) => withKey(entries, id, key.hash);
      const before = () => show(context, key);
      const path = await context.editClients(options.file, rotate, { before, row });
      context.print(`Added it to ${id} in ${path}. ${RELOAD}: then each key is good.`);
      context.print('When the application uses this one, end the others with');
      context.print(`\`miftah client rotate-key ${id} --retire\`.`);
    });
}

async function retireKeys(
  context: CommandContext,
  file: string | undefined,
  row: ClientRow,
): Promise<void> {
  const { client: id } = row;
  let ended: readonly unknown[] = [];
  const retire = (entries: readonly unknown[]) => {
    ended = keysOf(entries, id).slice(0, -1);
    return withLastKey(entries, id);
  };
  const path = await context.editClients(file, retire, { row });
  context.print(`Took ${counted(ended.length, 'key')} of ${id} out of ${path}:`);
  for (const hash of ended) context.print(`hash  ${String(hash)}`);
  context.print(`${RELOAD}: until then they are good.`);
}

type Key = ReturnType<typeof newKey>;

function newKey({ random }: Pick<CommandContext, 'random'>) {
  const key = `mfk_${Buffer.from(random.bytes(KEY_BYTES)).toString('base64url')}`;
  return { key, hash: hashClientKey(key) };
}

/** Before the file is changed: a key that nobody has got to know would be of no use there. */
async function show(
  { deliver }: Pick<CommandContext, 'deliver'>,
  key: Key | null,
  webhooks: readonly Receiver[] = [],
): Promise<void> {
  const secrets = webhooks.map(
    ({ url, secrets: [secret] }) => `webhook secret  ${secret}  ${url}\n`,
  );
  const shown = [...(key === null ? [] : [`key   ${key.key}\nhash  ${key.hash}\n`]), ...secrets];
  if (shown.length === 0) return;
  await deliver(`${shown.join('')}\n${whoGets(key, secrets.length)}\n`);
}

/** A public application is in everybody's hands: the secret of its receiver is not for it. */
function whoGets(key: Key | null, secrets: number): string {
  const [receiver, are, them] =
    secrets > 1 ? ['receivers', 'are', 'them'] : ['receiver', 'is', 'it'];
  if (secrets === 0) return 'The key is shown this once: give it to the application, as a secret.';
  const named = `webhook secret${secrets > 1 ? 's' : ''}`;
  if (key === null) {
    return `The ${named} ${are} shown this once: give ${them} to the ${receiver} alone, as a secret.`;
  }
  return (
    `They are shown this once: give the key to the application and the ${named} to the ${receiver}, ` +
    'as secrets.'
  );
}

interface Receiver {
  readonly url: string;
  readonly secrets: readonly [string];
}

const collect = (text: string, others: readonly string[]) => [...others, text];

/** A member that is an object; undefined where it was not given. */
type Member = Readonly<Record<string, unknown>> | undefined;

/** Whoever proves by nothing else who they are. */
function needsKey({ type, keyless }: AddOptions, openid: Member): boolean {
  if (type === 'public') return keyless.length === 0 && openid === undefined;
  return openid?.['token_endpoint_auth_method'] !== 'private_key_jwt';
}

interface Made {
  readonly limits: Member;
  readonly openid: Member;
  readonly keys: readonly string[];
  readonly webhooks: readonly Receiver[];
}

/** In the order of docs/applications.md, without what has its default. */
function entryOf(
  id: string,
  { nameAr: ar, nameEn: en, type, returnAddress, codeIn, keyless }: AddOptions,
  { limits, openid, keys, webhooks }: Made,
) {
  return {
    id,
    name: { ar, en },
    type,
    ...(returnAddress.length === 0 ? {} : { return_addresses: returnAddress }),
    ...(codeIn === undefined ? {} : { code_in: codeIn }),
    keys,
    ...(keyless.length === 0 ? {} : { keyless }),
    ...(limits === undefined ? {} : { limits }),
    ...(openid === undefined ? {} : { openid }),
    ...(webhooks.length === 0 ? {} : { webhooks }),
  };
}

/** Null for anything else, which is not repeated. */
function objectIn(text: string | undefined): Member | null {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : null;
  } catch {
    return null;
  }
}
