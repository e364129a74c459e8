import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { DownloadButton } from '../../ui/download-button.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { EndSection } from './end-section.tsx'
import { FeaturesSection } from './features-section.tsx'
import { ImportSection } from './import-section.tsx'
import { NameSection } from './name-section.tsx'
import { ResponsesSection } from './responses-section.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'

const t = translator('organization')

export function Settings() {
  const { may, organization } = useHere()
  return (
    <Page title={t('settings.title')}>
      <NameSection />
      {organization.user_role.role_name === 'owner' && <SecondFactorSection />}
      {may('organization:write') && <ResponsesSection key={organization.id} />}
      <FeaturesSection />
      {may('organization:admin') && <ExportSection />}
      <ImportSection />
      <EndSection />
    </Page>
  )
}

function ExportSection() {
  const { organization } = useHere()
  return (
    <Section
      title={t('export.title')}
      description={t('export.description')}
      actions={
        <DownloadButton
          path="/api/org/export"
          query={{ org_id: organization.id }}
          name={`${organization.slug}.zip`}
        >
          {t('export.download')}
        </DownloadButton>
      }
    >
      <p className="text-sm text-muted">{t('export.note')}</p>
    </Section>
  )
}
