const { existsSync, linkSync, mkdirSync, readlinkSync, rmSync, symlinkSync } = require('node:fs')
const { join } = require('node:path')
const { findNode } = require('../server/find-node.cjs')

/**
 * Links Node 24 into node_modules/.bin, so that every npm script runs on it. Does nothing if the current Node is new
 * enough. This script itself must run on Node 20.
 */
function linkNode(root) {
  const node = findNode()
  if (node === process.execPath) return
  const windows = process.platform === 'win32'
  const link = join(root, 'node_modules', '.bin', windows ? 'node.exe' : 'node')
  mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true })
  if (existsSync(link) && (windows || readlinkSync(link) === node)) return
  rmSync(link, { force: true }) // a link to another version, or a dangling one
  if (windows) linkSync(node, link)
  else symlinkSync(node, link)
}

linkNode(join(__dirname, '..'))
