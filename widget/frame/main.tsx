import { VisitorClient } from '@parley/client/visitor'
import { render } from 'preact'
import type { Look } from '../look.ts'
import { App } from './app.tsx'
import { focusComposer } from './composer.tsx'
import { Conversation, type View } from './conversation.ts'
import { findHost } from './host.ts'
import { Kept } from './kept.ts'
import { applyTheme } from './theme.ts'

const root = document.getElementById('chat') as HTMLElement
const look = JSON.parse(root.dataset['look'] ?? '') as Look
const deploymentId = location.pathname.split('/').at(-1) ?? ''
const kept = new Kept(deploymentId)
const visitor = new VisitorClient({ deploymentId, visitorKey: kept.visitorKey() })
const conversation = new Conversation(visitor, kept, show)

applyTheme(look)
const host = findHost(focusComposer)
conversation.start()

function show(view: View): void {
  render(<App look={look} view={view} conversation={conversation} host={host} />, root)
}
