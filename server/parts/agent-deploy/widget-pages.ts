import type { DeploymentConfig } from '#database/schema/agent-deploy.ts'
import { type ButtonLook, DEFAULT_COLOR, type Look } from '../../../widget/look.ts'
import type { PublicDeployment } from './public-deployments-system.ts'
import type { WidgetFiles } from './widget-files.ts'
import type { WidgetText } from './widget-text.ts'

/** Builds the loader with the look of a deployment. */
export const loaderScript = (
  { loader }: WidgetFiles,
  deployment: PublicDeployment,
  { t }: WidgetText,
): string => `(function(LOOK){${loader}})(${JSON.stringify(buttonLookOf(deployment, t))})`

/** Builds the page in the frame. */
export const chatPage = (files: WidgetFiles, deployment: PublicDeployment, text: WidgetText): string => {
  const look = escapeHtml(JSON.stringify(lookOf(deployment)))
  return page(
    files,
    text,
    deployment.config.branding?.company_name || deployment.name,
    `<script defer src="/embed/assets/${files.frameScripts[text.language]}"></script>
</head>
<body>
<div id="chat" data-look="${look}"></div>
<noscript>${escapeHtml(text.t('noScript'))}</noscript>`,
  )
}

/** Builds a page in the style of the chat that says why there is none. It contains no script. */
export const noticePage = (files: WidgetFiles, text: WidgetText, reason: 'closed' | 'unknown'): string =>
  page(
    files,
    text,
    text.t(`${reason}Title`),
    `</head>
<body>
<div id="chat"><main class="notice"><h1>${escapeHtml(text.t(`${reason}Title`))}</h1><p>${escapeHtml(text.t(reason))}</p></main></div>`,
  )

/**
 * Returns the frame's Content-Security-Policy: only its own script and style, its own server, and the logo.
 * `allowed_origins` limits the pages that may frame it; without any, every page may. The console has the same
 * origin and always may.
 */
export function contentPolicy(config: DeploymentConfig | undefined): string {
  const logo = originOf(config?.branding?.logo_url)
  const allowed = config?.allowed_origins ?? []
  const ancestors = allowed.map(originOf).filter((origin) => origin !== null)
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    ["img-src 'self' data:", logo].filter(Boolean).join(' '),
    `frame-ancestors ${allowed.length === 0 ? '*' : ["'self'", ...ancestors].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

const page = (
  { frameStyle }: WidgetFiles,
  { language }: WidgetText,
  title: string,
  rest: string,
): string => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/embed/assets/${frameStyle}">
${rest}
</body>
</html>
`

function lookOf({ name, config }: PublicDeployment): Look {
  const { theme, branding } = config
  return {
    name,
    companyName: branding?.company_name || null,
    logoUrl: originOf(branding?.logo_url) === null ? null : (branding?.logo_url ?? null),
    color: colorOf(config),
    fontFamily: theme?.font_family || null,
    welcomeMessage: config.welcome_message || null,
  }
}

function buttonLookOf({ id, name, config }: PublicDeployment, t: WidgetText['t']): ButtonLook {
  return {
    deploymentId: id,
    label: t('open', { name: config.branding?.company_name || name }),
    color: colorOf(config),
    side: config.widget_placement === 'bottom-left' ? 'left' : 'right',
  }
}

const colorOf = ({ theme }: DeploymentConfig): string =>
  /^#[\da-f]{6}$/i.test(theme?.primary_color ?? '') ? (theme?.primary_color as string) : DEFAULT_COLOR

/** Returns the origin of a web address, safe for use in a policy; null if it is invalid. */
function originOf(address: string | undefined): string | null {
  if (address === undefined || !URL.canParse(address)) return null
  const { protocol, origin } = new URL(address)
  return (protocol === 'https:' || protocol === 'http:') && !/[\s;,']/.test(origin) ? origin : null
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
