// Published vocabularies, which are large, come when they are asked for: as scripts, which a page that was opened from
// a disk may load, too. Each adds itself to VOCABULARIES, name -> what readData takes.

function loadVocabulary(name, file) { // -> a promise of it
  if (window.VOCABULARIES?.[name]) return Promise.resolve(VOCABULARIES[name]);
  return new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = file;
    script.onload = () => done(VOCABULARIES[name]);
    script.onerror = () => {
      script.remove();
      fail(new Error(`${name} can’t be loaded`));
    };
    document.head.append(script);
  });
}
