import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/** Drawn for this project. */
const OWN: Record<string, string> = {
  demo: 'public/favicon.svg',
  'openai-compatible': 'logos/openai-compatible.svg',
  route: 'logos/route.svg',
}

/** Model providers and servers, with their files in @lobehub/icons-static-svg. */
const FROM_LOBEHUB: Record<string, string> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google-color',
  deepseek: 'deepseek-color',
  ollama: 'ollama',
  mistral: 'mistral-color',
  groq: 'groq',
  openrouter: 'openrouter',
  xai: 'xai',
  together: 'together-color',
  fireworks: 'fireworks-color',
  vllm: 'vllm-color',
  lmstudio: 'lmstudio',
  azure: 'azure-color',
  exa: 'exa-color',
  huggingface: 'huggingface-color',
  tavily: 'tavily-color',
}

/** MCP servers, with their icons in @iconify-json/logos. */
const FROM_ICONIFY: Record<string, string> = {
  apify: 'apify-icon',
  asana: 'asana-icon',
  astro: 'astro-icon',
  atlassian: 'atlassian',
  aws: 'aws',
  box: 'box',
  buildkite: 'buildkite-icon',
  clickup: 'clickup-icon',
  cloudflare: 'cloudflare-icon',
  cloudinary: 'cloudinary-icon',
  figma: 'figma',
  github: 'github-icon',
  gitlab: 'gitlab-icon',
  incidentio: 'incident-icon',
  intercom: 'intercom-icon',
  linear: 'linear-icon',
  microsoft: 'microsoft-icon',
  miro: 'miro-icon',
  mondaycom: 'monday-icon',
  neon: 'neon-icon',
  netlify: 'netlify-icon',
  notion: 'notion-icon',
  paypal: 'paypal',
  prisma: 'prisma',
  pulumi: 'pulumi-icon',
  sentry: 'sentry-icon',
  slack: 'slack-icon',
  square: 'square',
  supabase: 'supabase-icon',
  vercel: 'vercel-icon',
  zapier: 'zapier-icon',
}

/**
 * Emits the logos as files that the browser loads when it shows them, and caches forever: the folder's name contains
 * their hash. Defines LOGO_FOLDER (src/ui/avatar.tsx) and
 * LOGO_NAMES (src/screens/connections/mark.tsx).
 */
export function logos(): Plugin {
  const files = readLogos()
  const hash = createHash('sha256')
    .update(JSON.stringify([...files]))
    .digest('hex')
    .slice(0, 8)
  const folder = `assets/logos-${hash}`
  return {
    name: 'logos',
    config: () => ({
      define: {
        LOGO_FOLDER: JSON.stringify(`/${folder}`),
        LOGO_NAMES: JSON.stringify(Object.keys({ ...FROM_LOBEHUB, ...FROM_ICONIFY })),
      },
    }),
    generateBundle() {
      for (const [name, source] of files)
        this.emitFile({ type: 'asset', fileName: `${folder}/${name}.svg`, source })
    },
    configureServer({ middlewares }) {
      middlewares.use(`/${folder}`, (request, response, next) => {
        const source = files.get(request.url?.slice(1, -'.svg'.length) ?? '')
        if (source === undefined) return next()
        response.setHeader('Content-Type', 'image/svg+xml').end(source)
      })
    },
  }
}

/** Returns the SVG of each logo by its name. */
function readLogos(): Map<string, string> {
  const { resolve } = createRequire(import.meta.url)
  const icons: IconSet = JSON.parse(readFileSync(resolve('@iconify-json/logos/icons.json'), 'utf8'))
  const read = (path: string) => readFileSync(path, 'utf8')
  return new Map([
    ...Object.entries(OWN).map(([name, path]) => [name, read(join(import.meta.dirname, path))] as const),
    ...Object.entries(FROM_LOBEHUB).map(
      ([name, file]) => [name, read(resolve(`@lobehub/icons-static-svg/icons/${file}.svg`))] as const,
    ),
    ...Object.entries(FROM_ICONIFY).map(([name, icon]) => [name, svgOf(icons, icon)] as const),
  ])
}

/** The format of @iconify-json packages. An icon without a width or a height has that of the set. */
interface IconSet {
  width: number
  height: number
  icons: Record<string, { body: string; width?: number; height?: number }>
}

function svgOf({ icons, ...set }: IconSet, name: string): string {
  const icon = icons[name]
  if (!icon) throw new Error(`@iconify-json/logos has no icon ${name}`)
  const { body, width = set.width, height = set.height } = icon
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 ${width} ${height}">${body}</svg>`
}
