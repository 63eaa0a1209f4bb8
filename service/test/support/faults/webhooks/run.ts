import { constants, getPriority, setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { writeClientsFile } from '../../../../../scripts/rehearsal.ts';
import { temporaryFolder, type AtEnd } from '../../at-end.ts';
import { webhookSecret } from '../../outbound/webhook-receiver.ts';
import { until } from '../../programs/until.ts';
import { seededRandom, type SeededRandom } from '../seeded-random.ts';
import { Again } from './again.ts';
import { Changes, type Done, type SteadyRate } from './changes.ts';
import { Arrived, expectedOf, forgetStored, wrongOf, type Known } from './compare.ts';
import { Fleet } from './fleet.ts';
import { Receiver, type Manner } from './receivers.ts';
import {
  comparedStarts,
  HALVES,
  orderOf,
  steadyStarts,
  type Half,
  type StartsBeside,
} from './starts.ts';
import { StoreEnds } from './store-ends.ts';
import { storeOfFile, storeOfPostgres, type Outcome, type ToldStore } from './told-store.ts';

type Application = readonly [client: string, manners: readonly Manner[]];

/** Two applications, each with a receiver that works beside some that do not. */
const ASKING: readonly Application[] = [
  ['bank', ['good', 'fails', 'hangs', 'redirects']],
  ['shop', ['good', 'slow', 'floods']],
];
/** Others, so that a million webhooks are told in time: a receiver has eight calls at a time. */
const CLIENTS = [
  ...ASKING,
  ...Array.from({ length: 6 }, (_, index): Application => [`other-${index + 1}`, ['good']]),
];
const PROBE = 'probe';
const SECRET = webhookSecret(7);
/** Calls at a time to one receiver, of each instance. */
const MOST_CALLS = 8;
const INSTANCES = 2;
const LOOK_MS = 250;
const MOST_FAULTS = 100;

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

interface Written {
  readonly haveReceivers: boolean;
  /** Of the application whose page tells which clients an instance has read. */
  readonly name: string;
}

interface Probed {
  readonly data: { readonly authorization_url: string };
}

export interface WebhookRun {
  readonly changes: number;
  /** How many of them by requests. Another process makes the others by the store. */
  readonly byRequests: number;
  readonly kills: number;
  /** So many starts of each half of each round. */
  readonly measured: SteadyRate & { readonly rounds: number };
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
  readonly p99: StartsBeside;
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
  #reloads = 0;

  constructor(task: WebhookRun, folder: string) {
    this.#task = task;
    this.#folder = folder;
    this.#fleet = new Fleet(task.url, writeClientsFile(folder, []));
    this.#changes = new Changes({
      origin: () => this.#fleet.origin(),
      keyOf: (change) => keyOf(ASKING[change % ASKING.length]?.[0] ?? ''),
      done: this.#done,
    });
  }

  async run(atEnd: AtEnd): Promise<WebhookReport> {
    const again = new Again(atEnd);
    const store = await this.#open(again, atEnd);
    await this.#changeUnderKills();
    const isOfFile = this.#task.url === null;
    if (isOfFile) await this.#fleet.advance('6m');
    await this.#untilGoodHaveAll(store);
    this.#task.say?.('the good receivers have everything');
    const p99 = await this.#measure(again, atEnd);
    await this.#untilGoodHaveAll(store);
    this.#checkCalls();
    const known = { untold: this.#untold, haveExpired: isOfFile };
    const { rows: waiting, expected } = await this.#compare(store, known, 'waiting');
    this.#task.say?.(`compared, and ${waiting} wait`);
    let givenUp = 0;
    if (isOfFile) {
      await this.#fleet.advance('25h');
      await until(async () => !(await this.#isWaiting(store, this.#receivers)), LOOK_MS);
      ({ rows: givenUp } = await this.#compare(store, known, 'given_up'));
    }
    // Instances run until all is closed, and what still arrives then can't be looked up any more.
    const faults = [...this.#faults];
    return { ...this.#figures(), expected, waiting, givenUp, p99, faults };
  }

  async #open(again: Again, atEnd: AtEnd): Promise<ToldStore> {
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
          note: (call) => again.note(call),
        },
        atEnd,
      ),
    );
    this.#receivers = await Promise.all(opening);
    this.#writeClients({ haveReceivers: true, name: 'Probe' });
    atEnd(() => this.#changes.close());
    atEnd(() => this.#fleet.close());
    const { url } = this.#task;
    await this.#fleet.start(url === null ? 1 : INSTANCES);
    this.#store =
      url === null ? storeOfFile(this.#fleet.dataDir, atEnd) : await storeOfPostgres(url, atEnd);
    return this.#store;
  }

  #writeClients({ haveReceivers, name }: Written): void {
    const receiversOf = (id: string) =>
      this.#receivers
        .filter(({ client }) => client === id)
        .map(({ url }) => ({ url, secrets: [SECRET] }));
    const clients = CLIENTS.map(([id]) => ({
      ...entry(id, id),
      ...(haveReceivers ? { webhooks: receiversOf(id) } : {}),
    }));
    writeClientsFile(this.#folder, [...clients, entry(PROBE, name)]);
  }

  async #changeUnderKills(): Promise<void> {
    const { changes, byRequests, kills, seed } = this.#task;
    const random = seededRandom(seed);
    const byStore = this.#storeEnds();
    const made = Promise.all([this.#changes.make(byRequests), byStore.make(changes - byRequests)]);
    const early = Math.ceil(kills / 2);
    await this.#kill(random, early, () => this.#done.started, byStore);
    await made;
    const good = this.#good();
    await this.#kill(random, kills - early, () => sum(good, ({ told }) => told.size), byStore);
  }

  #storeEnds(): StoreEnds {
    return new StoreEnds({
      settings: this.#fleet.settings,
      clients: CLIENTS.map(([client]) => client),
      onEnded: (attemptId) => {
        this.#done.started += 1;
        this.#done.ended.add(attemptId);
      },
    });
  }

  /** While it goes on. The last part has no kill, so that the programs are warm when they are measured. */
  async #kill(
    random: SeededRandom,
    kills: number,
    progress: () => number,
    byStore: StoreEnds,
  ): Promise<void> {
    const { changes, say } = this.#task;
    for (let kill = 1; kill <= kills; kill += 1) {
      const enough = (changes * kill) / (kills + 1);
      await until(() => progress() >= enough, LOOK_MS);
      await wait(random.between(0, LOOK_MS));
      if (random.chance(0.5)) byStore.kill();
      await this.#fleet.killOne(random);
      const told = sum(this.#good(), (one) => one.told.size);
      say?.(`${kill} kills, ${this.#done.started} starts, ${told} told`);
    }
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

  /**
   * In the same processes. What receivers need of this machine is no work of the service, and has
   * what the others leave.
   */
  async #measure(again: Again, atEnd: AtEnd): Promise<StartsBeside> {
    const { measured, seed, say } = this.#task;
    const start = steadyStarts(atEnd);
    const before = getPriority();
    setPriority(constants.priority.PRIORITY_LOW);
    for (const receiver of this.#receivers) receiver.isAlwaysGood = true;
    const startsOf = async (half: Half) => {
      await this.#reload(half === 'beside');
      const starts = () => this.#startsOf(half === 'beside', start);
      if (half === 'beside') return again.noting(starts);
      return half === 'alone' ? starts() : again.repeating(starts);
    };
    // What is repeated in the first round.
    await startsOf('beside');
    const rounds = [];
    for (let round = 0; round < measured.rounds; round += 1) {
      const found = new Map<Half, readonly number[]>();
      for (const half of orderOf(round)) found.set(half, await startsOf(half));
      const [alone = [], loaded = [], control = [], beside = []] = HALVES.map((half) =>
        found.get(half),
      );
      rounds.push({ alone, loaded, control, beside });
      say?.(`round ${round + 1} of ${measured.rounds} was measured, with ${again.count} calls`);
    }
    await again.settle();
    setPriority(before);
    await this.#reload(true);
    return comparedStarts(rounds, seededRandom(seed));
  }

  async #startsOf(
    haveReceivers: boolean,
    start: ReturnType<typeof steadyStarts>,
  ): Promise<readonly number[]> {
    const { rounds: _, ...rate } = this.#task.measured;
    const keys = ASKING.map(([client]) => keyOf(client));
    const { ms, ended, ...done } = await start({ ...rate, keys, origins: this.#fleet.origins });
    for (const id of ended) {
      this.#done.ended.add(id);
      if (!haveReceivers) this.#untold.add(id);
    }
    this.#done.started += done.started;
    this.#done.unanswered += done.unanswered;
    for (const fault of done.faults) this.#accuse(fault);
    return ms;
  }

  async #reload(haveReceivers: boolean): Promise<void> {
    this.#reloads += 1;
    const name = `Probe ${this.#reloads}`;
    this.#writeClients({ haveReceivers, name });
    const isRead = async (origin: string) => {
      const headers = {
        authorization: `Bearer ${keyOf(PROBE)}`,
        'content-type': 'application/json',
      };
      const asked = { method: 'POST', headers, body: JSON.stringify({ locale: 'en' }) };
      const started = (await (await fetch(`${origin}/api/v1/start`, asked)).json()) as Probed;
      const page = await fetch(started.data.authorization_url);
      return (await page.text()).includes(name);
    };
    await this.#fleet.reload(isRead);
  }

  #checkCalls(): void {
    for (const { manner, mostOpen } of this.#receivers) {
      if (mostOpen <= MOST_CALLS * this.#fleet.size) continue;
      this.#accuse(`${mostOpen} calls at once to the receiver that is ${manner}`);
    }
  }

  /** @returns how many rows are so, and how many the good receivers had to get */
  async #compare(
    store: ToldStore,
    known: Known,
    counted: Outcome,
  ): Promise<{ readonly rows: number; readonly expected: number }> {
    const missing = new Set(this.#done.ended);
    const told = this.#receivers.map((receiver) => ({
      receiver,
      arrived: new Arrived(receiver.arrived.keys()),
    }));
    let rows = 0;
    let expected = 0;
    for await (const { ends, outcomes, to } of store.pages()) {
      forgetStored(missing, ends);
      rows += [...outcomes.values()].filter((one) => one === counted).length;
      for (const { receiver, arrived } of told) {
        const ids = expectedOf(known, ends, receiver);
        if (receiver.manner === 'good') expected += ids.length;
        const wrong = wrongOf(ids, outcomes, receiver, arrived.upTo(to));
        for (const fault of wrong) this.#accuse(fault);
      }
    }
    for (const id of missing) this.#accuse(`the end of ${id} was acknowledged, and is not stored`);
    for (const { receiver, arrived } of told) {
      for (const fault of wrongOf([], new Map(), receiver, arrived.rest())) this.#accuse(fault);
    }
    return { rows, expected };
  }

  #figures() {
    const good = this.#good();
    return {
      kills: this.#task.kills,
      started: this.#done.started,
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
