import { setTimeout as wait } from 'node:timers/promises';
import { writeClientsFile } from '../../../../../scripts/rehearsal.ts';
import { temporaryFolder, type AtEnd } from '../../at-end.ts';
import { webhookSecret } from '../../outbound/webhook-receiver.ts';
import { until } from '../../programs/until.ts';
import { seededRandom } from '../seeded-random.ts';
import { Changes, quantile, type Done } from './changes.ts';
import { expectedOf, missingEnds, wrongOf, type Known } from './compare.ts';
import { Fleet } from './fleet.ts';
import { Receiver, type Manner } from './receivers.ts';
import { storeOfFile, storeOfPostgres, type ToldStore } from './told-store.ts';

/** Two applications, each with a receiver that works beside some that do not. */
const CLIENTS: readonly (readonly [client: string, manners: readonly Manner[]])[] = [
  ['bank', ['good', 'fails', 'hangs', 'redirects']],
  ['shop', ['good', 'slow', 'floods']],
];
/** An application whose name on its page tells which clients an instance has read. */
const PROBE = 'probe';
const probeName = (haveReceivers: boolean) => (haveReceivers ? 'Probe Beside' : 'Probe Alone');
const SECRET = webhookSecret(7);
/** Calls at a time to one receiver, of each instance. */
const MOST_CALLS = 8;
const INSTANCES = 2;
const LOOK_MS = 250;
const MOST_FAULTS = 100;
/** Each with receivers and without, in turn. */
const MEASURED_PARTS = 2;
const P99 = 0.99;

const rounded = (value: number) => Math.round(value * 100) / 100;

function sum(receivers: readonly Receiver[], of: (one: Receiver) => number): number {
  return receivers.reduce((total, one) => total + of(one), 0);
}

const keyOf = (client: string) => `mfk_${client}_0123456789abcdef`;

const entry = (id: string, en: string) => ({
  id,
  name: { ar: 'تطبيق المثال', en },
  type: 'confidential' as const,
  return_addresses: ['http://127.0.0.1/return'],
  keys: [keyOf(id)],
});

interface Probed {
  readonly data: { readonly authorization_url: string };
}

export interface WebhookRun {
  readonly changes: number;
  readonly kills: number;
  /** Starts of each part of the measurement, and how many of them a second. */
  readonly measured: { readonly count: number; readonly perSecond: number };
  /** Null: one instance with a file. */
  readonly url: string | null;
  readonly seed: number;
  readonly say?: (line: string) => void;
}

export interface WebhookReport {
  readonly kills: number;
  /** Starts that were answered with 200. */
  readonly started: number;
  /** Webhooks that the two good receivers had to get, and that they have. */
  readonly expected: number;
  readonly told: number;
  /** What came again, to all. */
  readonly repeated: number;
  /** For the others. */
  readonly waiting: number;
  readonly givenUp: number;
  readonly unanswered: number;
  readonly slowestRecoveryMs: number;
  /** Of starts at a steady rate, in milliseconds. */
  readonly p99: { readonly beside: number; readonly alone: number; readonly ratio: number };
  readonly faults: readonly string[];
}

/**
 * Ends very many attempts while most receivers fail, and kills instances meanwhile. Whatever is
 * committed is told, or waits, or is given up; nothing is told that is not committed.
 */
export async function runWebhooks(task: WebhookRun): Promise<WebhookReport> {
  const endings: (() => void | Promise<void>)[] = [];
  const atEnd: AtEnd = (work) => void endings.push(work);
  try {
    return await new WebhookProof(task, temporaryFolder('hooks', atEnd)).run(atEnd);
  } finally {
    for (const end of endings.toReversed()) await end();
  }
}

class WebhookProof {
  readonly #task: WebhookRun;
  readonly #folder: string;
  readonly #faults: string[] = [];
  readonly #done: Done = { started: 0, ended: new Set(), unanswered: 0, faults: this.#faults };
  readonly #untold = new Set<string>();
  readonly #fleet: Fleet;
  readonly #changes: Changes;
  #receivers: readonly Receiver[] = [];
  #store: ToldStore | null = null;

  constructor(task: WebhookRun, folder: string) {
    this.#task = task;
    this.#folder = folder;
    this.#fleet = new Fleet(task.url, writeClientsFile(folder, []));
    this.#changes = new Changes({
      origin: () => this.#fleet.origin(),
      keyOf: (change) => keyOf(CLIENTS[change % CLIENTS.length]?.[0] ?? ''),
      done: this.#done,
    });
  }

  async run(atEnd: AtEnd): Promise<WebhookReport> {
    const store = await this.#open(atEnd);
    await this.#changeUnderKills();
    const isOfFile = this.#task.url === null;
    if (isOfFile) await this.#fleet.advance('6m');
    await this.#untilGoodHaveAll(store);
    this.#task.say?.('the good receivers have everything');
    const p99 = await this.#measure();
    await this.#untilGoodHaveAll(store);
    const known = await this.#known(store);
    const waiting = await this.#compare(store, known, 'waiting');
    let givenUp = 0;
    if (isOfFile) {
      await this.#fleet.advance('25h');
      await until(async () => !(await this.#isWaiting(store, this.#receivers)), LOOK_MS);
      givenUp = await this.#compare(store, known, 'given_up');
    }
    return { ...this.#figures(known), waiting, givenUp, p99, faults: this.#faults };
  }

  async #open(atEnd: AtEnd): Promise<ToldStore> {
    const pairs = CLIENTS.flatMap(([client, manners]) =>
      manners.map((manner) => ({ client, manner })),
    );
    const opening = pairs.map((pair) =>
      Receiver.open(
        {
          ...pair,
          secret: SECRET,
          isCommitted: async (id) => (await this.#store?.isCommitted(id)) ?? false,
          accuse: (fault) => this.#accuse(fault),
        },
        atEnd,
      ),
    );
    this.#receivers = await Promise.all(opening);
    this.#writeClients({ haveReceivers: true });
    atEnd(() => this.#changes.close());
    atEnd(() => this.#fleet.close());
    const { url } = this.#task;
    await this.#fleet.start(url === null ? 1 : INSTANCES);
    this.#store =
      url === null ? storeOfFile(this.#fleet.dataDir, atEnd) : await storeOfPostgres(url, atEnd);
    return this.#store;
  }

  #writeClients({ haveReceivers }: { readonly haveReceivers: boolean }): void {
    const receiversOf = (id: string) =>
      this.#receivers
        .filter(({ client }) => client === id)
        .map(({ url }) => ({ url, secrets: [SECRET] }));
    const clients = CLIENTS.map(([id]) => ({
      ...entry(id, id),
      ...(haveReceivers ? { webhooks: receiversOf(id) } : {}),
    }));
    writeClientsFile(this.#folder, [...clients, entry(PROBE, probeName(haveReceivers))]);
  }

  async #changeUnderKills(): Promise<void> {
    const { changes, kills, seed, say } = this.#task;
    const random = seededRandom(seed);
    const made = this.#changes.make(changes);
    for (let kill = 1; kill <= kills; kill += 1) {
      // The last part has no kill, so that the programs are warm when they are measured.
      const enough = (changes * kill) / (kills + 1);
      await until(() => this.#done.started >= enough, LOOK_MS);
      await wait(random.between(0, LOOK_MS));
      await this.#fleet.killOne(random);
      say?.(`${kill} kills, ${this.#done.started} starts`);
    }
    await made;
  }

  #isWaiting = async (store: ToldStore, receivers: readonly Receiver[]): Promise<boolean> => {
    const waiting = await Promise.all(receivers.map(({ id }) => store.hasWaiting(id)));
    return waiting.includes(true);
  };

  async #untilGoodHaveAll(store: ToldStore): Promise<void> {
    const good = this.#good();
    await until(async () => !(await this.#isWaiting(store, good)), LOOK_MS);
  }

  #good = () => this.#receivers.filter(({ manner }) => manner === 'good');

  /** In the same processes. */
  async #measure(): Promise<WebhookReport['p99']> {
    const { count, perSecond } = this.#task.measured;
    const beside: number[] = [];
    const alone: number[] = [];
    for (let part = 0; part < MEASURED_PARTS; part += 1) {
      beside.push(...(await this.#changes.atRate(count, perSecond)).ms);
      await this.#reload(false);
      const { ms, ids } = await this.#changes.atRate(count, perSecond);
      alone.push(...ms);
      for (const id of ids) this.#untold.add(id);
      await this.#reload(true);
    }
    const ratio = quantile(beside, P99) / quantile(alone, P99);
    return {
      beside: rounded(quantile(beside, P99)),
      alone: rounded(quantile(alone, P99)),
      ratio: rounded(ratio),
    };
  }

  async #reload(haveReceivers: boolean): Promise<void> {
    this.#writeClients({ haveReceivers });
    const isRead = async (origin: string) => {
      const headers = {
        authorization: `Bearer ${keyOf(PROBE)}`,
        'content-type': 'application/json',
      };
      const asked = { method: 'POST', headers, body: JSON.stringify({ locale: 'en' }) };
      const started = (await (await fetch(`${origin}/api/v1/start`, asked)).json()) as Probed;
      const page = await fetch(started.data.authorization_url);
      return (await page.text()).includes(probeName(haveReceivers));
    };
    await this.#fleet.reload(isRead);
  }

  async #known(store: ToldStore): Promise<Known> {
    const ends = await store.ends();
    const haveExpired = this.#task.url === null;
    const known = { ends, acknowledged: this.#done.ended, untold: this.#untold, haveExpired };
    for (const fault of missingEnds(known)) this.#accuse(fault);
    for (const { manner, mostOpen } of this.#receivers) {
      if (mostOpen <= MOST_CALLS * this.#fleet.size) continue;
      this.#accuse(`${mostOpen} calls at once to the receiver that is ${manner}`);
    }
    return known;
  }

  /** @returns how many rows of the receivers are so */
  async #compare(store: ToldStore, known: Known, counted: 'waiting' | 'given_up'): Promise<number> {
    let count = 0;
    for (const receiver of this.#receivers) {
      const outcomes = await store.outcomes(receiver.id);
      for (const fault of wrongOf(known, receiver, outcomes)) this.#accuse(fault);
      count += [...outcomes.values()].filter((one) => one === counted).length;
    }
    return count;
  }

  #figures(known: Known) {
    const good = this.#good();
    return {
      kills: this.#task.kills,
      started: this.#done.started,
      expected: sum(good, (one) => expectedOf(known, one).length),
      told: sum(good, ({ told }) => told.size),
      repeated: sum(this.#receivers, ({ repeated }) => repeated),
      unanswered: this.#done.unanswered,
      slowestRecoveryMs: this.#fleet.slowestRecoveryMs,
    };
  }

  #accuse(fault: string): void {
    if (this.#faults.length < MOST_FAULTS) this.#faults.push(fault);
  }
}
