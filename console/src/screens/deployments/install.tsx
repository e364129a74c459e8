import type { Deployment } from '@parley/client/schemas'
import type { ReactNode } from 'react'
import { Snippet } from '../../ui/copy.tsx'
import { Section } from '../../ui/page.tsx'
import { curl, frameTag, KEY_PLACE, policyOf, python, scriptTag, typescript } from './snippets.ts'

/** What to put where, so that people or programs reach the agent. */
export function Install({ deployment }: { deployment: Deployment }) {
  const { deployment_type: type } = deployment
  return (
    <div className="flex flex-col gap-6">
      {type !== 'api' && <Website deployment={deployment} type={type} />}
      <Programs type={type} />
    </div>
  )
}

function Website({ deployment, type }: { deployment: Deployment; type: 'widget' | 'iframe' }) {
  const { id, config } = deployment
  const { origin } = location
  const pages = config.allowed_origins ?? []
  return (
    <Section
      title="On a website"
      description={
        type === 'widget'
          ? 'Put this into the pages, before </body>. It carries no secret.'
          : 'Put this into the page where the chat should be. It carries no secret.'
      }
    >
      {type === 'widget' ? (
        <Snippet label="script tag" code={scriptTag(origin, id)} />
      ) : (
        <Snippet label="iframe" code={frameTag(origin, id)} />
      )}
      {pages.length > 0 && (
        <p className="text-sm wrap-anywhere text-muted">
          Only pages of {pages.join(', ')} may show it. Others are added under Look and limits.
        </p>
      )}
      {type === 'widget' && (
        <Later title="The chat within a page, instead of a button">
          <Snippet label="iframe" code={frameTag(origin, id)} />
        </Later>
      )}
      <Later title="The page has a Content-Security-Policy">
        <p className="text-sm text-muted">Its policy needs these sources beside its own:</p>
        <Snippet label="policy" code={policyOf(origin, type)} />
      </Later>
    </Section>
  )
}

function Programs({ type }: { type: Deployment['deployment_type'] }) {
  const { origin } = location
  return (
    <Section
      title="From a program"
      description={`Put the deployment's key where ${KEY_PLACE} stands, and keep it on your server: whoever has it talks at your cost.`}
    >
      <Titled title="curl">
        <Snippet label="curl" code={curl(origin)} />
      </Titled>
      {type === 'api' && (
        <>
          <Titled title="TypeScript, with the client of OpenAI">
            <Snippet label="TypeScript" code={typescript(origin)} />
          </Titled>
          <Titled title="Python, with the client of OpenAI">
            <Snippet label="Python" code={python(origin)} />
          </Titled>
        </>
      )}
      <p className="text-sm text-muted">
        All calls are in the{' '}
        <a href="/docs" target="_blank" rel="noreferrer" className="text-accent underline">
          API reference
        </a>
        . The answer's header X-Session-Id names the conversation: send it as session_id to go on with it.
      </p>
    </Section>
  )
}

const Titled = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="flex min-w-0 flex-col gap-1.5">
    <h3 className="text-sm font-medium">{title}</h3>
    {children}
  </div>
)

const Later = ({ title, children }: { title: string; children: ReactNode }) => (
  <details className="text-sm">
    <summary className="w-fit text-accent">{title}</summary>
    <div className="flex flex-col gap-2 pt-2">{children}</div>
  </details>
)
