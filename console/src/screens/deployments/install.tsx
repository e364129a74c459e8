import type { Deployment } from '@parley/client/schemas'
import type { ReactNode } from 'react'
import { translator } from '../../messages/index.ts'
import { Snippet } from '../../ui/copy.tsx'
import { formatList } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { curl, frameTag, KEY_PLACE, policyOf, python, scriptTag, typescript } from './snippets.ts'

const t = translator('deployments')

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
      title={t('install.website')}
      description={type === 'widget' ? t('install.widgetHint', { tag: '</body>' }) : t('install.frameHint')}
    >
      {type === 'widget' ? (
        <Snippet label={t('install.script')} code={scriptTag(origin, id)} />
      ) : (
        <Snippet label="iframe" code={frameTag(origin, id)} />
      )}
      {pages.length > 0 && (
        <p className="text-sm wrap-anywhere text-muted">
          {t('install.origins', { origins: formatList(pages) })}
        </p>
      )}
      {type === 'widget' && (
        <Folded title={t('install.embed')}>
          <Snippet label="iframe" code={frameTag(origin, id)} />
        </Folded>
      )}
      <Folded title={t('install.csp')}>
        <p className="text-sm text-muted">{t('install.cspHint')}</p>
        <Snippet label={t('install.policy')} code={policyOf(origin, type)} />
      </Folded>
    </Section>
  )
}

function Programs({ type }: { type: Deployment['deployment_type'] }) {
  const { origin } = location
  return (
    <Section title={t('install.program')} description={t('install.programHint', { placeholder: KEY_PLACE })}>
      <Titled title="curl">
        <Snippet label="curl" code={curl(origin)} />
      </Titled>
      {type === 'api' && (
        <>
          <Titled title={t('install.typescript')}>
            <Snippet label="TypeScript" code={typescript(origin)} />
          </Titled>
          <Titled title={t('install.python')}>
            <Snippet label="Python" code={python(origin)} />
          </Titled>
        </>
      )}
      <p className="text-sm text-muted">
        {t.rich('install.reference', {
          link: (text) => (
            <a href="/docs" target="_blank" rel="noreferrer" className="text-accent underline">
              {text}
            </a>
          ),
        })}
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

const Folded = ({ title, children }: { title: string; children: ReactNode }) => (
  <details className="text-sm">
    <summary className="w-fit text-accent">{title}</summary>
    <div className="flex flex-col gap-2 pt-2">{children}</div>
  </details>
)
