import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'
import type {} from './programs.ts'

/** Number of the slowest files that a report names. */
const SLOWEST = 20
/** Runs of fewer files report no times. */
const FILES_MIN = 2 * SLOWEST
/** Depth of the folders whose times are added up: `tests/journeys`, `server/platform`. */
const FOLDER_DEPTH = 2

/** The results of a run, for scripts (.ci/run, scripts/repeat-tests.ts). */
export interface RunReport {
  passed: number
  /** Full names of the failed tests, and of files that failed as a whole. */
  failed: string[]
  /** Number of skipped tests by the programs that they need. */
  skipped: Record<string, number>
  /** Seconds by file, slowest first. */
  files: Record<string, number>
}

/**
 * Writes the results of a run to a file, and prints its slowest files, the sum of each folder, and as the last line how
 * many tests were skipped for which programs.
 */
export class ReportRun implements Reporter {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const report = reportOf(modules)
    mkdirSync(dirname(this.#path), { recursive: true })
    writeFileSync(this.#path, JSON.stringify(report, null, 1))
    const times = Object.entries(report.files)
    const lines = times.length < FILES_MIN ? [] : [...linesOfFolders(times), ...linesOfFiles(times)]
    const skipped = Object.entries(report.skipped)
    if (skipped.length > 0)
      lines.push(`Skipped: ${skipped.map(([why, count]) => `${count} ${plural(count)} ${why}`).join(', ')}`)
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`)
  }
}

const plural = (count: number): string => (count === 1 ? 'test needs' : 'tests need')

function reportOf(modules: readonly TestModule[]): RunReport {
  const report: RunReport = { passed: 0, failed: [], skipped: {}, files: {} }
  const files: [file: string, seconds: number][] = []
  for (const module of modules) {
    const file = relative('.', module.moduleId)
    files.push([file, module.diagnostic().duration / 1_000])
    const failedBefore = report.failed.length
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed') report.passed += 1
      else if (state === 'skipped') count(report.skipped, missingOf(test))
      else report.failed.push(`${file} > ${test.fullName}`)
    }
    if (!module.ok() && report.failed.length === failedBefore) report.failed.push(file)
  }
  report.files = Object.fromEntries(files.sort(([, one], [, other]) => other - one))
  return report
}

/** Returns the programs for which a test is skipped. They are known where it, or a group around it, is declared. */
function missingOf(test: TestCase): string {
  for (let at: TestCase | TestSuite | TestModule = test; at.type !== 'module'; at = at.parent) {
    const { missing = [] } = at.meta()
    if (missing.length > 0) return missing.join(' and ')
  }
  return 'another test to pass, or are excluded'
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1
}

function linesOfFolders(times: [file: string, seconds: number][]): string[] {
  const folders = Object.entries(
    Object.groupBy(times, ([file]) => file.split('/').slice(0, FOLDER_DEPTH).join('/')),
  ).map(([folder, inside = []]) => [folder, sum(inside), inside.length] as const)
  folders.sort(([, one], [, other]) => other - one)
  return [
    `Time by folder, ${Math.round(sum(times))} s in all:`,
    ...folders.map(([folder, seconds, files]) => `${format(seconds)}  ${folder} (${files} files)`),
  ]
}

const linesOfFiles = (times: [file: string, seconds: number][]): string[] => [
  `The ${SLOWEST} slowest files:`,
  ...times.slice(0, SLOWEST).map(([file, seconds]) => `${format(seconds)}  ${file}`),
]

const sum = (times: [file: string, seconds: number][]): number =>
  times.reduce((total, [, seconds]) => total + seconds, 0)
const format = (seconds: number): string => `${seconds.toFixed(1).padStart(7)} s`
