// The style of the page's JavaScript. Which names and fields exist is for the type check to say.

import js from "@eslint/js";

export default [
  js.configs.recommended,
  {
    rules: {
      "no-undef": "off", // tsc knows the names of the browser
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true }],
      eqeqeq: "error",
      "no-else-return": "error",
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
      "max-lines": ["error", 400],
    },
  },
  { files: ["**/english.js", "**/chinese.js"], rules: { "max-lines": "off" } }, // lists of words
];
