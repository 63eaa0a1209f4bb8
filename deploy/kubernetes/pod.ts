// What the pods of the service and of the migration have in common.

import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import type { IVolume } from 'kubernetes-models/v1/Volume';
import type { IVolumeMount } from 'kubernetes-models/v1/VolumeMount';
import {
  CLIENTS,
  CLIENTS_FOLDER,
  DATA_VOLUME,
  IMAGE,
  SECRET_MODE,
  SECRETS,
  SECRETS_FOLDER,
  SERVICE_ACCOUNT,
  SETTINGS,
  USER_ID,
} from './names.ts';

// With DATABASE_URL the folder holds nothing that has to outlive the pod.
const data = { name: 'data', emptyDir: { sizeLimit: '64Mi' } } satisfies IVolume;
const clients = {
  name: 'clients',
  secret: { secretName: CLIENTS, defaultMode: SECRET_MODE },
} satisfies IVolume;

const dataMount = { name: 'data', mountPath: DATA_VOLUME } satisfies IVolumeMount;
const secretsMount = {
  name: 'secrets',
  mountPath: SECRETS_FOLDER,
  readOnly: true,
} satisfies IVolumeMount;
const clientsMount = {
  name: 'clients',
  mountPath: CLIENTS_FOLDER,
  readOnly: true,
} satisfies IVolumeMount;

/** A pod has the secrets that it uses, one file each, and no other. */
function secretsVolume(keys: readonly string[]) {
  const items = keys.map((key) => ({ key, path: key }));
  return {
    name: 'secrets',
    secret: { secretName: SECRETS, defaultMode: SECRET_MODE, items },
  } satisfies IVolume;
}

const DATABASE_SECRETS = ['database-url', 'secret-key'];

/** What an instance has. */
export const instance = {
  volumes: [
    data,
    secretsVolume([...DATABASE_SECRETS, 'provider-app-id', 'provider-app-key']),
    clients,
  ],
  volumeMounts: [dataMount, secretsMount, clientsMount],
};

/** `miftah migrate` asks the database alone: it opens no secret of the provider and no clients. */
export const migrator = {
  volumes: [data, secretsVolume(DATABASE_SECRETS)],
  volumeMounts: [dataMount, secretsMount],
};

/** What the profile `restricted` of the pod security standards asks for, and a read-only root. */
export const podSpec = {
  serviceAccountName: SERVICE_ACCOUNT,
  automountServiceAccountToken: false,
  // For a Service with the name miftah the cluster would set variables such as MIFTAH_PORT. The
  // service refuses variables with this prefix that it does not know.
  enableServiceLinks: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: USER_ID,
    runAsGroup: USER_ID,
    fsGroup: USER_ID,
    seccompProfile: { type: 'RuntimeDefault' },
  },
} satisfies Omit<IPodSpec, 'containers'>;

export const container = {
  image: IMAGE,
  envFrom: [{ configMapRef: { name: SETTINGS } }],
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
} satisfies Omit<IContainer, 'name'>;
