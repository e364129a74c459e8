import { VisitorClient } from '@parley/client/visitor'
import { render } from 'preact'
import type { Look } from '../look.ts'
import { App } from './app.tsx'
import { focusComposer } from './composer.tsx'
import { Conversation, type View } from './conversation.ts'
import { findHost } from './host.ts'
import { Kept } from './kept.ts'
import { followEdits } from './preview.ts'
import { applyScheme, applyTheme } from './theme.ts'

const root = document.getElementById('chat') as HTMLElement
const deploymentId = location.pathname.split('/').at(-1) ?? ''
const kept = new Kept(deploymentId)
const visitor = new VisitorClient({ deploymentId, visitorKey: kept.visitorKey() })
let look = JSON.parse(root.dataset['look'] ?? '') as Look
let view: View
const conversation = new Conversation(visitor, kept, (changed) => {
  view = changed
  show()
})

applyTheme(look)
const search = new URLSearchParams(location.search)
applyScheme(search.get('scheme'))
const host = findHost((scheme) => {
  applyScheme(scheme)
  focusComposer()
})
if (search.has('preview')) {
  // A preview begins as the chat of a new visitor.
  kept.set('session', null)
  followEdits((edited) => {
    look = edited
    applyTheme(look)
    show()
  })
}
conversation.start()

function show(): void {
  render(<App look={look} view={view} conversation={conversation} host={host} />, root)
}
