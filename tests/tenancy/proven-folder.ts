/**
 * A folder with a file of each test process: a template that it has proven a line, as JSON. A run of the whole suite
 * begins with an empty one (support/global-setup.ts); a run of some tests adds to it.
 */
export const PROVEN_FOLDER = '.cache/proven'
