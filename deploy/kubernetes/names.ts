// What the manifests share: names, places and the numbers that depend on each other.

/** The image that you build and push: see docs/containers.md. */
export const IMAGE = 'registry.example/miftah:0.1.0';

export const NAME = 'miftah';
export const METRICS = 'miftah-metrics';
export const MIGRATION = 'miftah-migrate';
export const SETTINGS = 'miftah-settings';
export const SECRETS = 'miftah-secrets';
export const CLIENTS = 'miftah-clients';
export const SERVICE_ACCOUNT = 'miftah';

/** Selects the instances of the service, and not the pod of the migration. */
export const INSTANCE_LABELS = { 'app.kubernetes.io/name': NAME } as const;
export const MIGRATION_LABELS = { 'app.kubernetes.io/name': MIGRATION } as const;

/** The user of the image. */
export const USER_ID = 10001;

/** The host of PUBLIC_URL. */
export const PUBLIC_HOST = 'login.example.com';

export const PORT = 3000;
export const METRICS_PORT = 9464;

/** Where the secrets are mounted, one file each. */
export const SECRETS_FOLDER = '/run/secrets';
/** Read-only for the group of the pod (`fsGroup`), and for nobody else. */
export const SECRET_MODE = 0o440;
export const CLIENTS_FOLDER = '/etc/miftah';
export const DATA_VOLUME = '/var/lib/miftah';

/**
 * A volume of the pod belongs to root and every user may write into it, which the service refuses
 * for DATA_DIR. So it makes a folder of its own in it.
 */
export const DATA_DIR = `${DATA_VOLUME}/data`;

export const READINESS_PERIOD_SECONDS = 5;

/**
 * SIGTERM and the removal of the pod from the endpoints happen at the same time, and the load
 * balancers learn of the removal seconds later. Until then the service has to accept connections:
 * it does for DRAIN_TIME. Load balancers that ask /readyz themselves need more than two of their
 * intervals.
 */
export const DRAIN_SECONDS = 3 * READINESS_PERIOD_SECONDS;

/** After DRAIN_TIME: five seconds for requests that have begun, and 2.5 for closing the store. */
const AFTER_DRAIN_SECONDS = 7.5;

/** Later than the service's own limit, so that it never gets SIGKILL while it closes its store. */
export const GRACE_SECONDS = Math.ceil(DRAIN_SECONDS + AFTER_DRAIN_SECONDS) + 7;
