/**
 * A folder with one file per test process, with one proven template per line as JSON. A run of the whole suite
 * empties it first (support/global-setup.ts); a partial run adds to it.
 */
export const PROVEN_FOLDER = '.cache/proven'
