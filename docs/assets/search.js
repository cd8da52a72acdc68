/* A rule is looked up by its id as it is written. The search takes MASK-2 apart and asks for words that begin with one
   of the halves; with a plus before each it asks for both, exactly. */
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...more) {
  const isQuery = typeof message?.data === "string";
  const asked = isQuery ? { ...message, data: message.data.replace(/\b([a-z]+)-(\d+)\b/gi, "+$1 +$2") } : message;
  return post.call(this, asked, ...more);
};
