// Packs the extension as a zip with a manifest, in the format of VS Code's gallery. The same files
// always give the same bytes.
//
// usage: package.mjs [FILE.vsix] [--server PROGRAM [--platform PLATFORM] [--licences FILE]]
// With a server, the extension contains it, and is for the platform alone: by default that of this
// machine, such as linux-x64. FILE has the licences of what is linked into the server.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { deflateRawSync } from 'node:zlib';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string' },
    licences: { type: 'string' },
    platform: { type: 'string', default: `${process.platform}-${process.arch}` },
  },
});
const platform = options.server === undefined ? undefined : options.platform;
const server = `extension/server/tacet${platform?.startsWith('win32') ? '.exe' : ''}`;
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const FILES = {
  'extension/package.json': 'package.json',
  'extension/readme.md': 'README.md',
  'extension/LICENSE.txt': '../../LICENSE',
  'extension/language-configuration.json': 'language-configuration.json',
  'extension/syntaxes/tacet.tmLanguage.json': 'syntaxes/tacet.tmLanguage.json',
  'extension/syntaxes/markdown.tmLanguage.json': 'syntaxes/markdown.tmLanguage.json',
  'extension/build/extension.js': 'build/extension.js',
  'extension/build/run_page.js': 'build/run_page.js',
  'extension/build/licences.txt': 'build/licences.txt',
  ...Object.fromEntries(readdirSync('media').sort().map((name) => [`extension/media/${name}`, `media/${name}`])),
  ...(platform === undefined ? {} : { [server]: options.server }),
  ...(options.licences === undefined ? {} : { 'extension/server/licences.txt': options.licences }),
};
const FILE_MODE = 0o100644;
const PROGRAM_MODE = 0o100755;

const escape = (text) => text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);

function vsixManifest() {
  const { name, version, publisher, displayName, description, categories, keywords, engines } = manifest;
  const tags = [...keywords, ...manifest.contributes.languages.flatMap((one) => [one.id, ...one.extensions.map((ext) => `__ext_${ext.slice(1)}`)])];
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}"${platform === undefined ? '' : ` TargetPlatform="${platform}"`}/>
    <DisplayName>${escape(displayName)}</DisplayName>
    <Description xml:space="preserve">${escape(description)}</Description>
    <Tags>${escape(tags.join(','))}</Tags>
    <Categories>${escape(categories.join(','))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escape(engines.vscode)}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/${manifest.icon}</Icon>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/readme.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Icons.Default" Path="extension/${manifest.icon}" Addressable="true"/>
  </Assets>
</PackageManifest>
`;
}

function contentTypes(names) {
  const endings = [...new Set(names.map((name) => /\.\w+$/.exec(name)?.[0]).filter((ending) => ending !== undefined))].sort();
  const types = { '.json': 'application/json', '.js': 'application/javascript', '.md': 'text/markdown', '.txt': 'text/plain', '.png': 'image/png', '.svg': 'image/svg+xml',
    '.exe': 'application/octet-stream', '.vsixmanifest': 'text/xml' };
  const lines = endings.map((ending) => `<Default Extension="${ending}" ContentType="${types[ending]}"/>`);
  const programs = names.filter((name) => !/\.\w+$/.test(name));
  lines.push(...programs.map((name) => `<Override PartName="/${name}" ContentType="application/octet-stream"/>`));
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${lines.join('')}</Types>
`;
}

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; ++bit) {
    value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return value;
});

function crc32(data) {
  let crc = -1;
  for (const byte of data) {
    crc = CRC_TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  }
  return (crc ^ -1) >>> 0;
}

/** The parts of its two headers that an entry of a zip has in common; the date is 1980-01-01. */
function description(entry) {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0); // version that can read it
  fields.writeUInt16LE(0x0800, 2); // names are UTF-8
  fields.writeUInt16LE(8, 4); // deflated
  fields.writeUInt16LE(0x21, 8);
  fields.writeUInt32LE(crc32(entry.data), 10);
  fields.writeUInt32LE(entry.packed.length, 14);
  fields.writeUInt32LE(entry.data.length, 18);
  fields.writeUInt16LE(Buffer.byteLength(entry.name), 22);
  return fields;
}

function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, data] of files) {
    const entry = { name, data, packed: deflateRawSync(data, { level: 9 }) };
    const fields = description(entry);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), entry.packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((name === server ? PROGRAM_MODE : FILE_MODE) << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), fields, tail, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
}

/** The pages of extensions load pictures from the network only, so that the README contains its own. */
function withPictures(readme) {
  return readme.replace(/\]\((media\/[\w.]+\.png)\)/g, (_, file) => `](data:image/png;base64,${readFileSync(file, 'base64')})`);
}

function contentOf(name) {
  return name === 'extension/readme.md' ? Buffer.from(withPictures(readFileSync(FILES[name], 'utf8'))) : readFileSync(FILES[name]);
}

const names = Object.keys(FILES);
const made = [
  ['extension.vsixmanifest', Buffer.from(vsixManifest())],
  ['[Content_Types].xml', Buffer.from(contentTypes(['extension.vsixmanifest', ...names]))],
  ...names.map((name) => [name, contentOf(name)]),
];
const target = positionals[0] ?? ['tacet', platform, `${manifest.version}.vsix`].filter((part) => part !== undefined).join('-');
writeFileSync(target, zip(made));
console.log(`${target}: ${made.length} files`);
